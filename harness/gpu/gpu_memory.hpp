// Device memory that the grader owns, alone or for runners to map.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "core/error.hpp"
#include "protocol/device_memory.hpp"

namespace cugrade {

/// The result of a call of the CUDA runtime; `what` names the call in the message.
[[nodiscard]] Status cuda_status(const char* what, cudaError_t error);
#define CUGRADE_CUDA(call) cuda_status(#call, (call))

/// Device memory of the grader's own.
class DeviceMemory {
public:
    [[nodiscard]] static Result<DeviceMemory> of(std::size_t bytes);
    DeviceMemory() = default;
    DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    ~DeviceMemory();
    template <class T = void>
    [[nodiscard]] T* get() const {
        return static_cast<T*>(at_);
    }

private:
    void* at_ = nullptr;
};

/// Device memory of the grader's that runners map by its descriptor. Until then only the grader can
/// reach it. A runner that maps it can reach these bytes and no others.
class ExportedMemory {
public:
    [[nodiscard]] static Result<ExportedMemory> of(std::size_t bytes, int device);
    ExportedMemory() = default;
    ExportedMemory(ExportedMemory&& other) noexcept { *this = std::move(other); }
    ExportedMemory& operator=(ExportedMemory&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(fd_, other.fd_);
        return *this;
    }
    /// Runners have let go of it before.
    ~ExportedMemory();

    template <class T = void>
    [[nodiscard]] T* get() const {
        return reinterpret_cast<T*>(memory_.address);
    }
    /// As mapped: at least what was asked for.
    [[nodiscard]] std::size_t bytes() const { return memory_.bytes; }
    [[nodiscard]] int fd() const { return fd_; }
    /// Frees nothing, because the GPU does not answer.
    void abandon() { memory_ = {}; }

private:
    protocol::MappedMemory memory_;
    int fd_ = -1;
};

/// A pair of events, to time what the grader's own kernels do.
class EventPair {
public:
    EventPair() = default;
    EventPair(const EventPair&) = delete;
    EventPair& operator=(const EventPair&) = delete;
    ~EventPair();
    /// Marks the begin, in the default stream.
    [[nodiscard]] Status begin();
    /// Microseconds since then, once the GPU has done all that was begun in between.
    [[nodiscard]] Result<double> end_us();

private:
    cudaEvent_t from_ = nullptr, to_ = nullptr;
};

}  // namespace cugrade
