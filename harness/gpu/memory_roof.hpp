// How fast the memory of a GPU can be read, and what starting a kernel costs: measured or modelled.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "emulator/model/time_model.hpp"
#include "gpu/gpus.hpp"

namespace cugrade {

/// read_bandwidth takes a multiple of this many bytes.
inline constexpr std::uint64_t read_unit = 64 << 10;
/// Bytes per microsecond with which a kernel of the grader reads `bytes` at `at`, the best of
/// several; `sink`: a word of device memory. On the current device.
[[nodiscard]] Result<double> read_bandwidth(const void* at, std::uint64_t bytes,
                                            std::uint32_t* sink);

/// No kernel that has to move `bytes` from DRAM takes less than launch_us + bytes / bytes_per_us.
struct MemoryRoof {
    double bytes_per_us = 0;
    double launch_us = 0;  ///< what the smallest kernel takes
    std::string source;    ///< the source of both figures, in words
};
/// Takes up to 1 GiB of the GPU's memory for a moment.
[[nodiscard]] Result<MemoryRoof> measure_memory_roof(const GpuInfo&);
/// As the time model has it.
[[nodiscard]] MemoryRoof modelled_memory_roof(const model::Device&);

}  // namespace cugrade
