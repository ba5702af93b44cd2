// What the architecture fixes, by compute capability.
#pragma once

#include <cstdint>

namespace cugrade::emulator {

/// Threads that are resident on one multiprocessor at once: CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability". `arch` is 75 for 7.5.
[[nodiscard]] constexpr std::uint32_t resident_threads(int arch) {
    if (arch == 75) return 1024;
    if (arch == 86 || arch == 87 || arch == 89 || arch >= 120) return 1536;
    return 2048;
}

}  // namespace cugrade::emulator
