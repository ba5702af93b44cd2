// innocent; grid 2; block 1; seed 7
// Waits for a flag that the other block sets.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    if (blockIdx.x == 1) *flag = 1;
    else
        while (*flag == 0) {}
    out[8 + blockIdx.x] = 1;
}
