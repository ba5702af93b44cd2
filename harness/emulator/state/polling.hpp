// Warps of a cooperative grid that wait for a word of memory: grid.sync() and barriers written by
// hand.
//
// Every block of such a grid is resident, so one that waits at the grid's barrier would read its
// word thousands of times before the last block comes. A warp that reads one word again and again,
// while nothing in memory changes, is parked instead: it gets no turn until the word has changed.
#pragma once

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Notes that the current split reads a word as a thread does that waits for others: with a
/// volatile, relaxed or acquire load, or with an atomic that changes nothing. Ends the slice if the
/// split is found to wait.
void note_poll(Warp&, const Ins*, std::uint64_t address, std::uint32_t bytes);

/// True if the warp has nothing to do until the word that it polls changes.
[[nodiscard]] bool is_parked(const Warp&);

}  // namespace cugrade::emulator
