// Finds out that a launch can never end: LaunchOptions::find_deadlocks.
//
// Theory of operation. The next step of a warp depends on its registers, its place in the code and
// memory. So a warp that comes to the same place with the same registers, while nobody has changed
// any memory, goes round in a circle; and if all warps that can run do so, none of them will ever
// do anything else. This proof never hits a kernel that is only slow: a loop that counts, reads a
// clock or computes does not come back to the same registers.
//
// Loops that only wait need not come back: one counts how often it has asked, another waits for a
// random time. If all warps that can run have asked other threads again and again, for long, and no
// memory has changed, they are taken to be stuck as well. For kernels that share memory with the
// host only this second rule holds, because another thread of the host may write there.
#pragma once

#include <string>
#include <vector>

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// A warp that runs so many instructions, none of which may wait for others, is taken to compute.
inline constexpr std::uint64_t longest_silence = 2048;

/// Notes that a slice of a warp ran `used` instructions. `asked`: one of them may have waited for
/// other threads (Launch::sync_operations).
void note_slice(Warp&, std::uint64_t used, bool asked);
/// True if no warp of the resident blocks can ever make progress. Looks only after some warp was
/// found to go round or to have asked for long.
[[nodiscard]] bool is_stuck(Launch&, std::vector<Block>&);
/// Ends the launch with a fault that says which thread waits, where and for what. `not_begun`:
/// blocks that have not begun.
void fail_as_stuck(Launch&, std::vector<Block>&, std::uint64_t not_begun);

}  // namespace cugrade::emulator
