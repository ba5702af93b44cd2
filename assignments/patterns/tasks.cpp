#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("map", map_cubic), CUGRADE_TASK("gather", gather_sum),
              CUGRADE_TASK("scatter", scatter_add))
