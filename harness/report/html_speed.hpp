// The speed and the technique of a task on its page: a figure of the speedup among the tiers, and
// the same in words.
#pragma once

#include <string>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

/// Empty for a task that has points for neither.
[[nodiscard]] std::string speed_section(const Report&, std::size_t task, const Style&);

}  // namespace cugrade::report
