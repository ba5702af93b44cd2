// expect: sum=compile_error|launch_error|skipped
// at-most: sum=0
// report: *
// More registers than an emulated GPU can keep, in blocks nested deeper than a parser can follow.
#include "interface.cuh"

#define TEN(x) x x x x x x x x x x

__global__ void large(double* out) {
    asm volatile(TEN(TEN(TEN("{"))) ".reg .b64 %%many<200000000>;" TEN(TEN(TEN("}"))));
    *out = 0;
}

void reduce_sum(const double*, std::size_t, double* out) { large<<<1, 1>>>(out); }
