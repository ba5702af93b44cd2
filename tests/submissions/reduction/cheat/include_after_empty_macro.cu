// expect: sum=forbidden|compile_error
// The preprocessor takes this for no directive; the front end behind it does, and quotes the file in its errors.
#include "interface.cuh"

#define EMPTY
EMPTY #include "/etc/passwd"

void reduce_sum(const double* in, std::size_t n, double* out) {}
