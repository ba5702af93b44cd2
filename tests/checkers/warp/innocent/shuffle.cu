// innocent; grid 2; block 64
// Registers need no memory to be ordered; lane 0 of each warp writes the warp's sum.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int sums[2];
    const int t = threadIdx.x;
    int v = in[blockIdx.x * 64 + t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, d);
    if (t % 32 == 0) sums[t / 32] = v;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = sums[0] + sums[1];
}
