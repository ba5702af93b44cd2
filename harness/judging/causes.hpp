// Why a task failed: its causes, best first.
#pragma once

#include <span>
#include <string_view>

#include "backend/session.hpp"
#include "build/build_submission.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// Fills in TaskOutcome::causes of a task in which a case fails. `run` and `on_emulator`, of
/// sessions on the emulated GPU, are for experiments; one of them null: there are none. `source`:
/// the submission's files. `compiler_output`: with its warnings.
void find_causes(const TaskRun* run, const SessionOptions* on_emulator,
                 std::span<const SourceFile> source, std::string_view compiler_output,
                 TaskOutcome&);

}  // namespace cugrade
