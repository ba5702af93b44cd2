// The checkers of the emulated GPU in grading: races and reads of what nobody has written.
#pragma once

#include "core/outcome.hpp"
#include "grader/session.hpp"
#include "grader/task_runner.hpp"

namespace cugrade {

/// Runs each small case whose call came back once more, under the checkers, in sessions that are
/// opened with `options`, and lowers the verdicts of the cases in which they find something.
[[nodiscard]] Status check_cases(const TaskRun&, const SessionOptions& options, TaskOutcome&);

}  // namespace cugrade
