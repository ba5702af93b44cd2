// innocent; grid 65; block 1; seed 6
// One block waits for all others, flag by flag, and takes the flags back afterwards.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flags = out;
    if (blockIdx.x > 0) {
        flags[blockIdx.x] = in[blockIdx.x];
    } else {
        for (int b = 1; b < 65; ++b)
            while (flags[b] == 0) {}
        for (int b = 1; b < 65; ++b) flags[b] = 0;
    }
}
