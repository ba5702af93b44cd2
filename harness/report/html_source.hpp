// The submission's files on a page, with what is wrong in the margin of their lines.
#pragma once

#include <string>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

/// Empty: the page was not given the files.
[[nodiscard]] std::string source_section(const Report&, const Style&);

}  // namespace cugrade::report
