// Points of the record under another policy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build/course.hpp"
#include "core/error.hpp"
#include "record/rows.hpp"
#include "report/seal.hpp"

namespace cugrade::record {

/// An attempt as grading would have it under the course's policy, sealed, as the next grading of
/// the same attempt. Errors: points alone do not tell, so that it has to be graded; the message
/// says why.
[[nodiscard]] Result<Standing> rescored(const Standing&, const Course&, const report::Sealer&);

/// The rules of an assignment of the course, for what is graded with these inputs.
[[nodiscard]] Rules rules_of(const Course&, const AssignmentSpec&, std::string_view inputs);

}  // namespace cugrade::record
