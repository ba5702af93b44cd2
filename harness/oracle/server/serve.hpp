// The process in which oracles run: they belong to the course, and a mistake in one of them shall
// cost the grader nothing but its answer.
#pragma once

#include <vector>

#include "core/case_data.hpp"

namespace cugrade::oracle {

/// Answers the grader on the socket oracle::connection until it is closed; the exit code.
int serve(const std::vector<AssignmentOracle>&);

}  // namespace cugrade::oracle
