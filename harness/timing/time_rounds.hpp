// Decides how many rounds a timing has, how many calls a round has, and when the timing ends. The
// method is in docs/engineering/timing.md. The GPU and the clock are behind Rounds.
#pragma once

#include "timing/rounds.hpp"
#include "timing/timing.hpp"

namespace cugrade {

/// Times one submission. `rounds`: open, with one set. From the run it uses the facts about the
/// timed case's call, the tiers, and whether there is a solution.
[[nodiscard]] Result<TimingResult> time_rounds(const TimingRun&, Rounds&);

}  // namespace cugrade
