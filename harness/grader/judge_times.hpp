// What the times of all rounds say: how fast a submission is, or that they cannot be. The method is
// in docs/timing.md. Plain numbers, no clock and no GPU.
//
// A submission is charged by what most rounds say, and at least some: a machine that hesitates once
// condemns nobody. What it could gain by is taken out of each round by itself, because a tier may
// be given for the upper end of an interval, which few rounds decide.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "grader/timing.hpp"

namespace cugrade {

/// What the grader's own work took on the GPU while all others were stopped, in microseconds.
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

/// The same after the submission's processes have ended: nothing that they have left on the GPU
/// runs then. Medians.
struct Alone {
    double baseline_us = 0;  ///< but here the longest: of some tasks rounds differ by nature
    double ready_us = 0, settle_us = 0;  ///< before calls that do not come, after the baseline's
    OwnWork own;
};

/// It takes as many rounds to charge a submission with what it has done in most of them.
constexpr std::size_t fewest_offences = 3;

struct Times {
    std::vector<Pair> pairs;  ///< in order
    OwnWork own;              ///< the shortest, with the submission's processes there
    Alone alone;
    std::uint32_t baseline_calls = 1, submission_calls = 1;  ///< of a round
    double floor_us = 0;  ///< a round of the submission cannot take less on this GPU
    std::vector<Tier> tiers;
};

/// The speedup, with its samples; or `tampering`, or a note why it is not judged. An Error: the
/// machine does not keep processes stopped.
[[nodiscard]] Result<TimingResult> judge_times(const Times&);

/// Nothing is known about the submission's speed but this.
[[nodiscard]] TimingResult not_judged(std::string_view because);
[[nodiscard]] TimingResult ended_by(CallOutcome);

}  // namespace cugrade
