// Technique: what the kernels of a right submission do, against the limits of grading.yaml.
#pragma once

#include <vector>

#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "judging/task_profile.hpp"

namespace cugrade {

/// The limited counters of a task, summed over all kernels of the profiled call, in the order of
/// the limits. A counter with a zero denominator is 0. If no kernel was launched, all counters are
/// NaN, and no limit is kept.
[[nodiscard]] std::vector<Measure> measure_technique(const TaskProfile&,
                                                     const std::vector<TechniqueLimit>&);

}  // namespace cugrade
