// The worker's side of a run: claims submissions one after the other until none is left.
#pragma once

#include <functional>
#include <string>

#include "cluster/plan.hpp"
#include "cluster/run_folder.hpp"

namespace cugrade::cluster {

/// Claims submissions in the order of the plan and leaves for each what `grade` returns, a result's
/// text; `at_once` at a time. Returns when each is claimed or has a result. What a former start of
/// this task had claimed is free again. Errors: the folder cannot be read or written.
[[nodiscard]] Status work_on(const Stage&, const Plan&, const Worker&, int at_once,
                             const std::function<std::string(const PlanItem&)>& grade);

}  // namespace cugrade::cluster
