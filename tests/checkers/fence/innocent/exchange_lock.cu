// innocent; grid 4; block 32; seed 3
// Waits by reading, so that the holder is not in anybody's way.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* lock = out + 64;
    if (threadIdx.x != 0) return;
    while (atomicExch(out + 64, 1) != 0)
        while (*lock != 0) __nanosleep(20);
    __threadfence();
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicExch(out + 64, 0);
}
