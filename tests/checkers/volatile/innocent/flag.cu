// innocent; grid 6; block 32; seed 2
// One block sets the flag, all others wait for it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) out[1] = in[7];
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[32 * blockIdx.x + threadIdx.x] = in[threadIdx.x];
    }
}
