// The work and speed of a submission's tasks against the peak of the GPU.
//
// The emulated GPU counts the work on the two cases of each task's `model` and compares the
// outputs; the counts are extrapolated to the timed case as the time model does. On a GPU the
// runner's events time the timed case; without one the time model does.
#pragma once

#include <filesystem>

#include "backend/grade_options.hpp"
#include "build/course.hpp"
#include "core/roofline.hpp"

namespace cugrade {

/// The tasks that `options` names, or all that the submission defines. Errors: of usage if it does
/// not compile, or defines none of them.
[[nodiscard]] Result<Roofline> roofline(const Course&, const AssignmentSpec&,
                                        const std::filesystem::path& source, const GradeOptions&);

}  // namespace cugrade
