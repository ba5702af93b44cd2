// Why a task failed: its causes, best first.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "backend/session.hpp"
#include "build/build_submission.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// Where experiments are made: sessions on the emulated GPU.
struct Laboratory {
    const SessionOptions* graded =
        nullptr;  ///< of the program as it is graded; null: there are none
    /// Of the same program, compiled so that its instructions are those of the source
    /// (device_code_as_written()); null: it cannot be. It is asked if nothing is proven otherwise,
    /// by several threads at once, and may take seconds.
    std::function<const SessionOptions*()> as_written = {};
};

/// Fills in TaskOutcome::causes of a task in which a case fails. `run` is null where no case was
/// run. `source`: the submission's files. `compiler_output`: with its warnings.
void find_causes(const TaskRun* run, const Laboratory&, std::span<const SourceFile> source,
                 std::string_view compiler_output, TaskOutcome&);

}  // namespace cugrade
