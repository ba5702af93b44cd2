// Why a task has no function to call: it is not written, or another one was written instead.
//
// Theory of operation. The runner refers to each function of a task weakly, so it links without
// them. The reference stays in its symbol table as undefined, with the parameters that
// interface.cuh declares, beside all that the submission does define. C++ names functions by their
// parameters, namespaces and linkage, so the two lists tell in what the student's function differs.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// A sentence for the student. `runner`: the executable that was linked with the submission; if it
/// has no symbols, the sentence says only that the function is missing.
[[nodiscard]] std::string missing_function(const AssignmentSpec&, const TaskSpec&,
                                           const std::filesystem::path& runner);

/// The same as a cause, with the line of the submission's text to edit.
[[nodiscard]] Cause missing_function_cause(const AssignmentSpec&, const TaskSpec&,
                                           const std::filesystem::path& runner,
                                           std::span<const SourceFile>);

}  // namespace cugrade
