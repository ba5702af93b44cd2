// How many blocks of a kernel one multiprocessor holds at once. Occupancy queries, the check of
// cooperative launches, the scheduler, the counters and the time model all use this, so a grid of
// occupancy times multiprocessors blocks is exactly resident.
//
// Registers are no limit: nobody knows how many a kernel needs before ptxas compiles it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cugrade::emulator::protocol {

/// The resources that the blocks of one multiprocessor share.
struct Multiprocessor {
    std::uint64_t threads = 0;
    std::uint64_t blocks = 0;
    std::uint64_t shared_bytes = 0;
    /// Shared memory that the system reserves in each block that has any.
    std::uint64_t reserved_shared_bytes = 0;
};

enum class OccupancyLimit : std::uint8_t { blocks, threads, shared_memory };

struct ResidentBlocks {
    std::uint64_t count = 0;
    OccupancyLimit limit = OccupancyLimit::blocks;
};

/// Threads are given to blocks in whole warps.
[[nodiscard]] constexpr ResidentBlocks resident_blocks(const Multiprocessor& of,
                                                       std::uint64_t threads_per_block,
                                                       std::uint64_t shared_bytes_per_block) {
    ResidentBlocks out{of.blocks, OccupancyLimit::blocks};
    const std::uint64_t threads = std::max<std::uint64_t>((threads_per_block + 31) / 32 * 32, 32);
    if (const std::uint64_t n = of.threads / threads; n < out.count)
        out = {n, OccupancyLimit::threads};
    if (shared_bytes_per_block != 0)
        if (const std::uint64_t n =
                of.shared_bytes / (shared_bytes_per_block + of.reserved_shared_bytes);
            n < out.count)
            out = {n, OccupancyLimit::shared_memory};
    return out;
}

/// Shared memory of a block: the static variables, then the launch's dynamic part, aligned.
[[nodiscard]] constexpr std::uint64_t shared_bytes_of_block(std::uint64_t static_bytes,
                                                            std::uint64_t dynamic_bytes) {
    if (dynamic_bytes == 0) return static_bytes;
    const std::uint64_t start = (static_bytes + 15) / 16 * 16;
    // The number may come from a program, so the sum saturates instead of overflowing.
    return dynamic_bytes > UINT64_MAX - start ? UINT64_MAX : start + dynamic_bytes;
}

}  // namespace cugrade::emulator::protocol
