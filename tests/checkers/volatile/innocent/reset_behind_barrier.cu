// innocent; grid 2; block 64; seed 4
// One thread waits for the flag, another one of its block takes it back behind a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {}
        }
        __syncthreads();
        if (threadIdx.x == 40) *flag = 0;
    }
}
