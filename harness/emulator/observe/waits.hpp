// Finds in the PTX, before anything runs, how often a warp has to wait for memory.
//
// Theory of operation. A GPU issues a warp's instructions in order and stops the warp only where an
// operand is still on its way. ptxas moves loads up as far as it may, so that loads which do not
// depend on each other are in flight together. In each basic block a load therefore has a level:
// one more than the highest level of the values from which its address is computed. The block waits
// once for each level. Later loads do not pass a store, an atomic, a barrier or a fence of their
// space, so they start from the level for which the instructions up to there have waited. Loads
// through the read-only path (ld.global.nc) pass everything.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

/// The waits of a basic block, each time that it runs.
struct Waits {
    std::uint32_t global = 0, shared = 0;
};
struct WaitsOfFunction {
    std::vector<std::uint32_t> block;  ///< by instruction: in which block it is
    /// By instruction: the wait of its block that it belongs to, from 1 on; 0: nothing waits for
    /// it.
    std::vector<Waits> level;
    std::vector<Waits> blocks;
};
[[nodiscard]] WaitsOfFunction waits_of(const ptx::Function&);

}  // namespace cugrade::emulator
