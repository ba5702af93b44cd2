// innocent; grid 2; block 1; seed 7
// The lock is taken without a fence, but who comes second has waited for a flag: no other order.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out + 65;
    if (blockIdx.x == 1) {
        while (*flag == 0) {}
        __threadfence();
    }
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    if (blockIdx.x == 1) __threadfence();
    out[0] += in[5];
    __threadfence();
    atomicExch(out + 64, 0);
    *flag = 1;
}
