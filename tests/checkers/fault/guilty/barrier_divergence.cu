// expect barrier_divergence 8 10; grid 1; block 64
// The halves of the block wait at different barriers.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        __syncthreads();
    } else {
        __syncthreads();
        s[t] = 1;
    }
    out[t] = s[t];
}
