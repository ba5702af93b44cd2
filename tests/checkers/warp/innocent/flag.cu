// innocent; grid 1; block 64; seed 4
// One warp waits for the other's flag, properly.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ volatile int flag;
    __shared__ int value;
    const int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        value = in[3];
        __threadfence_block();
        flag = 1;
    } else if (t >= 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[t] = value;
    }
}
