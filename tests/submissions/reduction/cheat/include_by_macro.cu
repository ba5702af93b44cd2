// expect: sum=compile_error
// The name of the file comes from a macro, so that no scanner sees it.
#include "interface.cuh"

#define P "/proc/self/cmdline"
#include P

void reduce_sum(const double* in, std::size_t n, double* out) {}
