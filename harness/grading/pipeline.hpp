// Grades one submission from source file to report.
#pragma once

#include <filesystem>

#include "backend/grade_options.hpp"
#include "build/course.hpp"
#include "core/error.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// An Error is the harness's own (exit 2) or the caller's (exit 1); faults of the submission are in
/// the report.
[[nodiscard]] Result<Report> grade(const Course&, const AssignmentSpec&,
                                   const std::filesystem::path& source, const GradeOptions&);

}  // namespace cugrade
