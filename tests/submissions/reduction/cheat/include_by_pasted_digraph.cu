// expect: sum=forbidden|compile_error
// %: is #, and comes into being only when the macro is expanded.
#include "interface.cuh"

#define PASTE(a, b) a##b
PASTE(%, :)include "/etc/passwd"

void reduce_sum(const double* in, std::size_t n, double* out) {}
