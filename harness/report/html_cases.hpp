// The cases of a task as a table of its page. What went wrong in one opens below its row.
#pragma once

#include <string>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

[[nodiscard]] std::string cases_of(const TaskReport&, const Style&);

}  // namespace cugrade::report
