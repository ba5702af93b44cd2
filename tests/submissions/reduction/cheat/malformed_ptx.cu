// expect: sum=compile_error|launch_error|skipped
// at-most: sum=0
// report: *
// PTX that no assembler takes, which only whoever runs it can notice. A person has to decide.
#include "interface.cuh"

__global__ void broken(double* out) {
    asm volatile("} .visible .entry other() { @!%% add.s32 , , ; {{{ ]");
    *out = 0;
}

void reduce_sum(const double*, std::size_t, double* out) { broken<<<1, 1>>>(out); }
