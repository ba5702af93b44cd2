// expect barrier_divergence 9 7; grid 3; block 64; n 150
// The guard that every kernel begins with, in one that has a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = 0;
    if (i >= n) return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t & 32];
}
