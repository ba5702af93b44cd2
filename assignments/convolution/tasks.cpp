#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("conv1d", convolve_1d), CUGRADE_TASK("conv2d_bytes", convolve_2d_bytes),
              CUGRADE_TASK("conv2d_float", convolve_2d_float))
