// Limits that the architecture fixes, by compute capability.
#pragma once

#include <cstdint>

#include "emulator/state/machine.hpp"
#include "protocol/occupancy.hpp"

namespace cugrade::emulator {

/// Most threads that one multiprocessor holds at once: CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability". `arch` is 75 for 7.5.
[[nodiscard]] constexpr std::uint32_t resident_threads(int arch) {
    if (arch == 75) return 1024;
    if (arch == 86 || arch == 87 || arch == 89 || arch >= 120) return 1536;
    return 2048;
}

[[nodiscard]] constexpr protocol::Multiprocessor multiprocessor_of(const MachineConfig& config) {
    return {.threads = resident_threads(config.arch),
            .blocks = config.resident_blocks,
            .shared_bytes = config.max_shared_per_block_optin};
}

}  // namespace cugrade::emulator
