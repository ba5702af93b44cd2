// Judges the times of all rounds: how fast a submission is, or that its times are impossible. The
// method is in docs/engineering/timing.md. Plain numbers, no clock and no GPU.
//
// A charge needs most rounds, and a minimum number: a machine that hesitates once condemns nobody.
// Possible gains are subtracted round by round, because a tier may be granted for the upper end of
// an interval, which few rounds decide.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "timing/timing.hpp"

namespace cugrade {

/// Times of the grader's own work on the GPU while all others were stopped, in microseconds.
struct OwnWork {
    double make_us = HUGE_VAL;  ///< making the inputs of a pair
    double give_us = HUGE_VAL;  ///< giving them to the submission
    [[nodiscard]] OwnWork shortest(const OwnWork& other) const;
};

/// A round of the baseline and one of the submission next to each other, on the same data. Times
/// are microseconds, of all calls of a round together.
struct Pair {
    double baseline_us = 0, submission_us = 0;              ///< by the grader's clock
    double baseline_claim_us = 0, submission_claim_us = 0;  ///< by the runners' own events
    /// How long a small kernel waited before the submission's calls and after its answer.
    double ready_us = 0, settle_us = 0;
    OwnWork own;
    /// A process of theirs seemed to run although it was stopped.
    bool baseline_moved = false, submission_moved = false;
    std::optional<std::string> throttled;  ///< why the GPU was held back

    /// `clean`: with nothing else on the GPU.
    [[nodiscard]] bool disturbed(const OwnWork& clean) const;
    /// Why it does not count, if it does not.
    [[nodiscard]] std::optional<std::string> dropped(const OwnWork& clean) const;
};

/// Medians after the submission's processes have ended, when none of their work is left on the GPU.
struct Alone {
    double baseline_us = 0;              ///< the longest instead, because rounds of some tasks vary
    double ready_us = 0, settle_us = 0;  ///< before calls that do not come, after the baseline's
    OwnWork own;
};

/// The least number of rounds for a charge against a submission.
constexpr std::size_t fewest_offences = 3;

struct Times {
    std::vector<Pair> pairs;  ///< in order
    OwnWork own;              ///< the shortest, with the submission's processes there
    Alone alone;
    std::uint32_t baseline_calls = 1, submission_calls = 1;  ///< of a round
    double floor_us = 0;  ///< a round of the submission cannot take less on this GPU
    std::vector<Tier> tiers;
};

/// The speedup, with its samples; or `tampering`, or why it is not judged. An Error: the
/// machine does not keep processes stopped.
[[nodiscard]] Result<TimingResult> judge_times(const Times&);

/// The outcome of a task whose speed is unknown, with the reason.
[[nodiscard]] TimingResult not_judged(NotJudged);
[[nodiscard]] TimingResult ended_by(CallOutcome);

}  // namespace cugrade
