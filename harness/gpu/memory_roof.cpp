#include "gpu/memory_roof.hpp"

#include <algorithm>
#include <cmath>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "gpu/gpu_memory.hpp"
#include "gpu/gpu_turn.hpp"

#include "gpu/device/kernels.hpp"

namespace cugrade {
namespace {

constexpr int reads = 20;
constexpr std::uint64_t largest_read = std::uint64_t{1} << 30;

/// Microseconds of the fastest of several reads, by events.
Result<double> fastest_read(const void* at, std::uint64_t bytes, std::uint32_t* sink) {
    EventPair events;
    double best_us = HUGE_VAL;
    for (int i = 0; i < reads; ++i) {
        if (auto status = events.begin(); !status) return status.error();
        if (auto status = CUGRADE_CUDA(device::read_all(at, bytes, sink)); !status)
            return status.error();
        auto us = events.end_us();
        if (!us) return us.error();
        best_us = std::min(best_us, *us);
    }
    return best_us;
}

}  // namespace

Result<double> read_bandwidth(const void* at, std::uint64_t bytes, std::uint32_t* sink) {
    auto us = fastest_read(at, bytes, sink);
    if (!us) return us.error();
    return static_cast<double>(bytes) / *us;
}

Result<MemoryRoof> measure_memory_roof(const GpuInfo& gpu) {
    const auto turn = GpuTurn::wait(gpu.id);
    if (!turn) return turn.error();
    if (auto status = CUGRADE_CUDA(cudaSetDevice(gpu.index)); !status) return status.error();
    std::size_t free = 0, all = 0;
    if (auto status = CUGRADE_CUDA(cudaMemGetInfo(&free, &all)); !status) return status.error();
    const std::uint64_t bytes =
        std::max<std::uint64_t>(std::min<std::uint64_t>(largest_read, free / 8) / read_unit, 1) *
        read_unit;
    const auto memory = DeviceMemory::of(bytes + sizeof(std::uint64_t));
    if (!memory) return memory.error();
    void* const at = memory->get();
    auto* sink = reinterpret_cast<std::uint32_t*>(memory->get<std::byte>() + bytes);
    if (auto status = CUGRADE_CUDA(device::poison(at, bytes, 1)); !status) return status.error();
    auto bandwidth = read_bandwidth(at, bytes, sink);
    if (!bandwidth) return bandwidth.error();
    auto launch_us = fastest_read(at, read_unit, sink);
    if (!launch_us) return launch_us.error();
    return MemoryRoof{.bytes_per_us = *bandwidth,
                      .launch_us = *launch_us,
                      .source = fmt::format("measured: the fastest of {} reads of {} MiB, and of "
                                            "{} KiB",
                                            reads, bytes >> 20, read_unit >> 10)};
}

MemoryRoof modelled_memory_roof(const model::Device& device) {
    const model::Calibration calibration;
    return {.bytes_per_us = 1e3 * device.dram_gb_s * calibration.dram_efficiency,
            .launch_us = calibration.launch_us,
            .source = fmt::format("devices/{}.yaml: {:g} GB/s, of which {:g} can be had", device.id,
                                  device.dram_gb_s, calibration.dram_efficiency)};
}

}  // namespace cugrade
