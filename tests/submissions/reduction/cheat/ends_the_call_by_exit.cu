// expect: sum=crash
// Ends in the call, as if all were done.
#include <unistd.h>

#include "interface.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) { _exit(0); }
