// The speed of one task in a grading: measured where the back end has a clock, modelled elsewhere.
#pragma once

#include <optional>
#include <span>

#include "backend/backend.hpp"
#include "build/course.hpp"
#include "core/error.hpp"
#include "core/not_judged.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "judging/task_runner.hpp"
#include "timing/modelling.hpp"

namespace cugrade {

/// Why this grading judges no speed of the task, for any submission; nothing if it does.
[[nodiscard]] NotJudged why_untimed(const Course&, const Backend&, const TaskSpec&,
                                    const GradeOptions&);

/// The input for judging speed.
struct SpeedOf {
    const Build* submission = nullptr;          ///< for the back end
    std::optional<SessionOptions> on_emulator;  ///< what it does there as compute_75, if it can
};
/// Fills the performance part of `outcome` with a speedup or with the reason why there is none.
/// Does nothing if a reason is already there. `counted`: where the speed was modelled, from what.
[[nodiscard]] Status judge_speed(const Course&, const TaskRun&, const SpeedOf&, TaskOutcome&,
                                 std::optional<ModelCounts>& counted);

/// Whether whatever of a task has come to an end is right, and cases ran into the time limit or its
/// speed does not reach the highest tier.
[[nodiscard]] bool is_right_but_slow(const TaskPolicy&, const TaskOutcome&);

/// Fills in the causes of a task that is right but slow. Where the speed was measured, the kernels
/// are counted on the emulated GPU, if they can be.
void explain_speed(const Course&, const TaskRun&, const SpeedOf&,
                   std::optional<ModelCounts> counted, std::span<const SourceFile>, TaskOutcome&);

}  // namespace cugrade
