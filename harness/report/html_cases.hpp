// The cases of a task as a table of its page. What went wrong in one opens in its row; of what a
// cause explains, the row has a link to the cause.
#pragma once

#include <cstddef>
#include <string>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

[[nodiscard]] std::string cases_of(const Report&, std::size_t task, const Style&);

}  // namespace cugrade::report
