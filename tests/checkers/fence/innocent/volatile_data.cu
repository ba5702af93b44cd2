// innocent; grid 4; block 1; seed 3
// Volatile reads are done where they stand, and past the L1 cache.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* sum = out;
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    *sum = *sum + in[blockIdx.x];
    __threadfence();
    atomicExch(out + 64, 0);
}
