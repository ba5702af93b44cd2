// `cugrade profile`: what the kernels of a submission do, task by task.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "backend/grade_options.hpp"
#include "build/course.hpp"
#include "judging/task_profile.hpp"

namespace cugrade {

/// Runs each task that `options` names, or all that the submission defines, once on case `case_id`;
/// without one on the largest public case that the emulated GPU judges. Errors: of usage for an
/// unknown case, and the error of `build` if the submission does not compile.
[[nodiscard]] Result<std::vector<TaskProfile>> profile(const Course&, const AssignmentSpec&,
                                                       const std::filesystem::path& source,
                                                       const GradeOptions& options,
                                                       std::optional<int> case_id);

}  // namespace cugrade
