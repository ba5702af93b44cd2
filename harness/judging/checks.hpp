// The checkers of the emulated GPU in grading: races, reads of memory never written, and
// barriers and shuffles that lanes leave out.
#pragma once

#include "backend/session.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// Runs each small case whose call came back once more, under the checkers, in sessions that are
/// opened with `options`, and lowers the verdicts of the cases in which they find something.
[[nodiscard]] Status check_cases(const TaskRun&, const SessionOptions& options, TaskOutcome&);

/// Those that lower a verdict, in the order in which they were found; of a hidden case without data.
[[nodiscard]] std::vector<CheckerFinding> charged_findings(const emulator::FindingList&, Visibility);

/// A place of the emulated GPU's by the student's name of the file.
[[nodiscard]] SourceLocation location_of(const emulator::Place&);
/// Whether a finding of this kind lowers a verdict.
[[nodiscard]] bool is_charged(emulator::FindingKind);

}  // namespace cugrade
