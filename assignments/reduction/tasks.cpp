#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("sum", reduce_sum), CUGRADE_TASK("max", reduce_max),
              CUGRADE_TASK("cubes", reduce_cubes), CUGRADE_TASK("nested", reduce_nested))
