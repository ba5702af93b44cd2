// The speed of one task in a grading: measured where the back end has a clock, modelled elsewhere.
#pragma once

#include <optional>

#include "backend/backend.hpp"
#include "build/course.hpp"
#include "core/error.hpp"
#include "core/not_judged.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

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
/// Does nothing if a reason is already there.
[[nodiscard]] Status judge_speed(const Course&, const TaskRun&, const SpeedOf&, TaskOutcome&);

}  // namespace cugrade
