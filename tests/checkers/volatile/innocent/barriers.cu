// innocent; grid 1; block 128
// In rounds, with a barrier after each.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ volatile int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int width = 64; width > 0; width /= 2) {
        if (t < width) sums[t] = sums[t] + sums[t + width];
        __syncthreads();
    }
    if (t == 0) out[0] = sums[0];
    __syncthreads();
    if (t == 5) sums[0] = 0;
}
