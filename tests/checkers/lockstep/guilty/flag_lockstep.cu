// expect deadlock 6; grid 1; block 32; schedule lockstep
// Lane 0 sets the flag on the way that the others do not take.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    if (threadIdx.x != 0) {
        while (*flag == 0) {}
    } else {
        *flag = in[1];
    }
    out[32 + threadIdx.x] = 1;
}
