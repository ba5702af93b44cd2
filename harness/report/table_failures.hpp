// The part of the table that tells what is wrong, below the row of each task.
#pragma once

#include "core/report.hpp"
#include "report/page.hpp"

namespace cugrade::report {

/// Without `details`: only of what the causes of a task do not explain.
void write_failures(Page&, const Report&, bool details);
/// Warnings of the checkers, each once per task.
void write_warnings(Page&, const Report&, bool details);

}  // namespace cugrade::report
