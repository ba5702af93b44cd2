// expect: inclusive_int=output_limit|memory_limit|compile_error|time_limit
// An object file of 1 TiB.
#include "interface.cuh"

asm(".pushsection .data\n.space 1 << 40, 1\n.popsection");

void scan_inclusive_int(const int* in, std::size_t n, int* out) {}
