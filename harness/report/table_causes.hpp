// The part of the table that tells why tasks fail, where that is known.
#pragma once

#include "core/report.hpp"
#include "report/page.hpp"

namespace cugrade::report {

/// Whether one of the task's causes explains the case, which then needs no telling beside it.
[[nodiscard]] bool is_explained(const TaskOutcome&, const CaseOutcome&);
/// The same of a finding of a case.
[[nodiscard]] bool is_explained(const TaskOutcome&, const CaseOutcome&, const CheckerFinding&);

/// The causes of each failed task, the best first. Without `details`: only the first one, and
/// those that explain further cases.
void write_causes(Page&, const Report&, bool details);

}  // namespace cugrade::report
