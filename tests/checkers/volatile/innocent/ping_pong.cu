// innocent; grid 2; block 1; seed 3
// Two blocks hand a flag to and fro: who stores has waited for the other's store.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    for (int round = 0; round < 4; ++round) {
        while (*flag != static_cast<int>(blockIdx.x)) {}
        __threadfence();
        out[1] += in[round];
        __threadfence();
        *flag = 1 - blockIdx.x;
    }
}
