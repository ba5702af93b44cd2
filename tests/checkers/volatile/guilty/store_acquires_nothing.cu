// expect global_race 6 11; grid 2; block 1
// Who stores to the flag, too, has not read it, and knows nothing of what it guards.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    if (blockIdx.x == 0) {
        out[1] = in[5];
        __threadfence();
        *flag = 1;
    } else {
        *flag = 1;
        out[3] = out[1];
    }
}
