// expect barrier_divergence 7 5; grid 2; block 64; n 40
// Threads without an element skip the barrier together with the work, and end. Warp 1 is cut.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < n) {
        out[t + 64 * blockIdx.x] = in[t];
        __syncthreads();
        out[t + 64 * blockIdx.x] += 1;
    }
}
