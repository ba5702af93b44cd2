#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("inclusive_int", scan_inclusive_int),
              CUGRADE_TASK("exclusive_int", scan_exclusive_int),
              CUGRADE_TASK("inclusive_float", scan_inclusive_float),
              CUGRADE_TASK("exclusive_float", scan_exclusive_float))
