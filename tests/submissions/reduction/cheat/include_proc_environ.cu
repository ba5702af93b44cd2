// expect: sum=compile_error
// The compiler's environment, quoted in its messages.
#include "interface.cuh"

#include "/proc/self/environ"

void reduce_sum(const double* in, std::size_t n, double* out) {}
