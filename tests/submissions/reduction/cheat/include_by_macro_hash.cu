// expect: sum=forbidden|compile_error
// The # of the directive is the body of a macro.
#include "interface.cuh"

#define HASH #
#define WORD include
HASH WORD "/etc/passwd"

void reduce_sum(const double* in, std::size_t n, double* out) {}
