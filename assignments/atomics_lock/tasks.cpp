#include <cugrade/tasks.hpp>

#include "interface.cuh"

CUGRADE_TASKS(CUGRADE_TASK("add_double", add_double),
              CUGRADE_TASK("critical_section", critical_section),
              CUGRADE_TASK("transfers", transfers), CUGRADE_TASK("atomic_ops", atomic_ops))
