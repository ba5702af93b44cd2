// How a report names places in the source, elements of arrays, and cases.
#pragma once

#include <string>
#include <vector>

#include "core/outcome.hpp"
#include "core/source_location.hpp"

namespace cugrade::report {

/// "student.cu:12:5", as far as it is known.
[[nodiscard]] std::string place_text(const SourceLocation&);

/// "out[7]", "image[2][40]".
[[nodiscard]] std::string element_text(const Mismatch&);

/// "5, 7-9" of ids that ascend.
[[nodiscard]] std::string case_ranges(const std::vector<int>& ids);

}  // namespace cugrade::report
