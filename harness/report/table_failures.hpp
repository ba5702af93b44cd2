// The part of the table that tells what is wrong, below the row of each task.
#pragma once

#include "core/report.hpp"
#include "report/page.hpp"

namespace cugrade::report {

void write_failures(Page&, const Report&);
/// Warnings of the checkers, each once per task.
void write_warnings(Page&, const Report&);

}  // namespace cugrade::report
