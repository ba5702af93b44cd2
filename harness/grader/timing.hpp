// Speedup of a submission over the baseline, measured on a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "grader/task_runner.hpp"
#include "grader/timed_sets.hpp"

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
    CallOutcome call;  ///< of the submission; accepted if its times count, or a note says why not
    std::string note;  ///< why it cannot be judged, which is no fault of the submission
    std::optional<KeptSet> kept;  ///< for judge_kept(); tasks without a reference have none
};
/// By the grader's own clock. Holds the GPU alone while it times. An Error is the harness's own.
[[nodiscard]] Result<TimingResult> measured_speedup(const TimingRun&);

/// The last part of it, for which no GPU is needed: compares the set that was kept with what the
/// oracle says. A timing is gone if the submission's is wrong.
[[nodiscard]] Result<TimingResult> judge_kept(const TimingRun&, TimingResult);

}  // namespace cugrade
