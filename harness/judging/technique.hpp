// Technique: what the kernels of a right submission do, in numbers that grading.yaml may limit.
#pragma once

#include <vector>

#include "core/outcome.hpp"
#include "judging/task_profile.hpp"

namespace cugrade {

/// All counters of core/technique.hpp, each summed over all kernels of the profiled call. A counter
/// with a zero denominator is 0. If no kernel was launched, all are NaN, and no limit is kept.
[[nodiscard]] std::vector<Counter> count_technique(const TaskProfile&);

}  // namespace cugrade
