// expect deadlock 6; grid 3; block 64; seed 4; budget 100000000
// One thread of each block spins, and all others wait for it at the barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out + 64;
    if (threadIdx.x == 0) {
        while (*flag != 1) __nanosleep(100);
    }
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}
