// How often a warp has to wait for memory: found in the PTX, before anything runs.
//
// Theory of operation. A GPU issues a warp's instructions in order and stops the warp only where an
// operand is still on its way. ptxas moves loads up as far as it may, so that those which do not
// depend on each other are in flight together. In each basic block a load therefore has a level:
// one more than the highest level among what its address is made of; the waits of the block are the
// number of levels. A store, an atomic, a barrier or a fence is not passed by later loads of the
// space that it concerns, so what is loaded after it starts from the level that the instructions up
// to there have waited for. Loads through the read-only path (ld.global.nc) pass everything.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

/// Of a basic block, each time that it runs.
struct Waits {
    std::uint32_t global = 0, shared = 0;
};
struct WaitsOfFunction {
    std::vector<std::uint32_t> block;  ///< by instruction: in which block it is
    std::vector<Waits> blocks;
};
[[nodiscard]] WaitsOfFunction waits_of(const ptx::Function&);

}  // namespace cugrade::emulator
