// innocent; grid 2; block 1; seed 1; budget 100000000
// One block computes for long and then sets the flag that the other one waits for.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out + 64;
    if (blockIdx.x == 0) {
        unsigned x = in[1];
        for (int round = 0; round < 100000; ++round) x = x * 1664525 + 1013904223;
        out[0] = x;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0];
    }
}
