// How a report names places in the source, and cases.
#pragma once

#include <string>
#include <vector>

#include "core/source_location.hpp"

namespace cugrade::report {

/// "student.cu:12:5", as far as it is known.
[[nodiscard]] std::string place_text(const SourceLocation&);

/// "5, 7-9" of ids that ascend.
[[nodiscard]] std::string case_ranges(const std::vector<int>& ids);

}  // namespace cugrade::report
