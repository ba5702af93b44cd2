// expect: sum=compile_error|tampering|suspicious|crash
// at-most: sum=0
// The table from which the runner takes what it calls.
#include <cstddef>
#include <cstdint>

#include "interface.cuh"

namespace cugrade::runner {
struct Task {
    const char* name;
    int arguments;
    void (*describe)(char (*)[8]);
    void (*call)(const std::uint64_t*);
    bool (*defined)();
};
struct TaskTable {
    const Task* tasks;
    std::size_t count;
};
extern const TaskTable task_table;
const TaskTable task_table{nullptr, 0};
}  // namespace cugrade::runner

void reduce_sum(const double*, std::size_t, double*) {}
