// innocent; grid 1; block 256
// The partial sums of eight warps: lanes 4 to 7 ask in vain, and nobody wants their sums.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int of_warp[8];
    const int t = threadIdx.x;
    int v = in[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0) of_warp[t / 32] = v;
    __syncthreads();
    if (t < 8) {
        v = of_warp[t];
        for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xff, v, d);
        if (t == 0) out[0] = v;
    }
}
