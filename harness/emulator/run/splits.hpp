// Which lanes of a warp run when.
//
// A warp is a set of splits: lanes at one place with one call stack. The split that is deepest in
// calls and, among equals, first in the code runs until it reaches the place of another one, so
// lanes that diverged meet again at the first instruction they have in common. By this rule alone,
// lanes that spin on a lock would starve a lane of their warp that holds it further on in the code.
// So a split that spins (it read volatile memory or tried atomics, and nothing changed) or has
// simply run long lets the split that has waited longest run for a slice.
#pragma once

#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {

/// How a warp's turn ended.
enum class Outcome { waits, spins, quantum, done, fault };

/// Is there a split that does not wait?
[[nodiscard]] bool can_run(Warp&);
/// Joins splits that are at one place, then makes the one that should run current. False if none
/// can run.
bool select_split(Warp&);
/// Runs a warp for at most `quantum` warp instructions.
Outcome run_warp(Warp&, u64 quantum);

}  // namespace cugrade::emulator
