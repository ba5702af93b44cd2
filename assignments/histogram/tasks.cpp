#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("bytes", histogram_bytes), CUGRADE_TASK("bins", histogram_bins))
