// All oracles, one row per assignment; written by CMake from the folders that are there.
#pragma once

#include <vector>

#include "core/case_data.hpp"

namespace cugrade::reference {

[[nodiscard]] const std::vector<AssignmentOracle>& oracles();
/// nullptr: reference/<assignment>/oracle.cpp has no row for the task.
[[nodiscard]] const TaskOracle* find_oracle(std::string_view assignment, std::string_view task);

}  // namespace cugrade::reference
