// Speedup of a submission over the baseline, measured on a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "judging/task_runner.hpp"
#include "timing/timed_sets.hpp"

namespace cugrade {

/// Times the task's timed case, in runners of their own for the baseline, the submission and the
/// reference, which makes the right answers where there is a solution; else the baseline makes
/// them.
struct TimingRun {
    const TaskRun* task = nullptr;
    const AnsweredCase* timed_case = nullptr;
    /// Of the submission's first call on the timed case's own data, which was accepted: by the
    /// grader's clock, and by the runner's events; and what a second one took at least, if known.
    double case_us = 0, case_claim_us = 0, case_at_least_us = 0;
    SessionOptions submission;
    SessionOptions baseline;
    std::optional<SessionOptions> reference;
    std::vector<Tier> tiers;
};
/// One set of one round, as the submission and the reference have answered it.
struct KeptSet {
    TimedSet submission, reference;
};
struct TimingResult {
    std::optional<TimingOutcome> timing;
    CallOutcome call;  ///< of the submission; accepted if its times count or `untimed` says why not
    NotJudged untimed;            ///< why it cannot be judged, which is no fault of the submission
    std::optional<KeptSet> kept;  ///< for judge_kept(); tasks without a reference have none
};
/// The Error for a program of the course (`who`: "baseline", "solution") that fails.
[[nodiscard]] Error failure_of_ours(const char* who, const TimingRun&, const std::string& why);

/// Times by the grader's own clock and holds the GPU alone meanwhile. An Error is the harness's
/// own.
[[nodiscard]] Result<TimingResult> measured_speedup(const TimingRun&);

/// The last step, which needs no GPU: compares the kept set with the oracle's answer. If the
/// submission's outputs are wrong, its timing is dropped.
[[nodiscard]] Result<TimingResult> judge_kept(const TimingRun&, TimingResult);

}  // namespace cugrade
