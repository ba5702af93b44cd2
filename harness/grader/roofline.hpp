// What a submission's tasks do, and how fast, against what the GPU could.
//
// What they do is counted on the emulated GPU, on the two cases of each task's `model`, and
// continued to the timed case as the time model does; the outputs are compared there. How fast they
// are, the runner's events say on a GPU, on the timed case; without one the time model.
#pragma once

#include <filesystem>

#include "core/roofline.hpp"
#include "grader/pipeline.hpp"

namespace cugrade {

/// The tasks that `options` names, or all that the submission defines. Errors: of usage if it does
/// not compile, or defines none of them.
[[nodiscard]] Result<Roofline> roofline(const Course&, const AssignmentSpec&,
                                        const std::filesystem::path& source, const GradeOptions&);

}  // namespace cugrade
