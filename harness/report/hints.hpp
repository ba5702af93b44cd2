// What of a report its student gets.
#pragma once

#include "core/policy.hpp"
#include "core/report.hpp"

namespace cugrade::report {

/// The report without what the hints leave out. It has to be sealed anew.
[[nodiscard]] Report for_student(Report, Hints);

}  // namespace cugrade::report
