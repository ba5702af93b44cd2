// What sessions and timings on a GPU have in common: memory that the grader owns and runners
// map, and what a runner's answer means.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "core/error.hpp"
#include "grader/runner_connection.hpp"
#include "protocol/device_memory.hpp"

namespace cugrade {

[[nodiscard]] Error cuda_failure(const char* what, cudaError_t error);

/// Returns an Error from the function if the call of the CUDA runtime fails.
#define CUGRADE_TRY(call)                                                      \
    do {                                                                       \
        const cudaError_t try_error_ = (call);                                 \
        if (try_error_ != cudaSuccess) return cuda_failure(#call, try_error_); \
    } while (false)

/// The same for a function that returns a Status.
#define CUGRADE_TRY_STATUS(call)                                                 \
    do {                                                                         \
        if (auto try_status_ = (call); !try_status_) return try_status_.error(); \
    } while (false)

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

/// Device memory of the grader's that runners map by its descriptor. It is the grader's alone until
/// then, and belongs to nothing else: who maps it can reach these bytes and no others.
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
    /// Leaves all as it is: the GPU does not answer.
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

/// Lets the runner map exactly these, and no others any more. `addresses` are the runner's;
/// there are none if the outcome is not `accepted`. Where the runner cannot, that is an Error, or,
/// if `others_can`, the outcome: what is wrong is its own.
struct Attachment {
    CallOutcome outcome;
    std::vector<std::uint64_t> addresses;
};
[[nodiscard]] Result<Attachment> attach(RunnerConnection&, std::span<const ExportedMemory* const>,
                                        bool others_can = false);

/// A call has failed. Where the wall clock ended it, or nothing can, the GPU may be what hung: then
/// nothing else is asked of it before it has answered a process that may hang with it. An Error: it
/// does not.
[[nodiscard]] Status answers_after(const CallOutcome&, const Home&, const GpuInfo&);

/// What became of a call; `accepted` says nothing about the results.
[[nodiscard]] CallOutcome outcome_of(const RunnerConnection::Answer&);

}  // namespace cugrade
