// expect global_race 7 10; grid 2; block 1; seed 1
// The flag is waited for, but what it guards may have been read before.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out + 64;
    if (blockIdx.x == 0) {
        // The fence is here, and only here.
        out[0] = in[7];
        __threadfence();
        *flag = 1;
    } else { while (*flag == 0) {} out[1] = out[0]; }
}
