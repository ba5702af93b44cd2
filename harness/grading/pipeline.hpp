// Grades one submission from source file to report.
#pragma once

#include <filesystem>
#include <optional>

#include "backend/grade_options.hpp"
#include "build/course.hpp"
#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// An Error is the harness's own (exit 2) or the caller's (exit 1); faults of the submission are in
/// the report.
[[nodiscard]] Result<Report> grade(const Course&, const AssignmentSpec&,
                                   const std::filesystem::path& source, const GradeOptions&);

/// Compiles a submission as grade() would, for grading and for the checks, and runs nothing of it:
/// what comes of it is in the cache of builds. With `gpu_arch`, for a GPU of that compute
/// capability, which need not be in this machine; with 0, for the back end of the options.
[[nodiscard]] Status compile_only(const Course&, const AssignmentSpec&,
                                  const std::filesystem::path& source, const GradeOptions&,
                                  int gpu_arch);

/// The longest that the processes of one submission can take under these limits, whatever it does:
/// compilers and linkers for the back end and for the checks, and all calls together. Where cugrade
/// fails, it grades the baseline and then the submission again, so all of it three times. Nothing
/// if the limits do not bound it.
[[nodiscard]] std::optional<double> longest_grading_s(const Limits&);

}  // namespace cugrade
