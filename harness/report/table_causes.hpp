// The part of the table that tells why tasks fail, where that is known.
#pragma once

#include "core/report.hpp"
#include "report/page.hpp"

namespace cugrade::report {

/// The causes of each failed task, the best first. Without `details`: only the first one, and
/// those that explain further cases.
void write_causes(Page&, const Report&, bool details);

}  // namespace cugrade::report
