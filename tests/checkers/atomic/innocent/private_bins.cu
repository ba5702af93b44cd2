// innocent; grid 1; block 64
// Each thread counts for itself, then one thread adds up each bin.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int bins[4][64];
    const int t = threadIdx.x;
    for (int b = 0; b < 4; ++b) bins[b][t] = 0;
    for (int i = t; i < n; i += 64) ++bins[in[i] % 4][t];
    __syncthreads();
    if (t < 4)
        for (int k = 0; k < 64; ++k) out[t] += bins[t][k];
}
