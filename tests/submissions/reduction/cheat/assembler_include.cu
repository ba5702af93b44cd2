// expect: sum=forbidden|compile_error
// The assembler's errors quote the file line by line.
#include "interface.cuh"

asm("\056include \"/etc/passwd\"");

void reduce_sum(const double* in, std::size_t n, double* out) {}
