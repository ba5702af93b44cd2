// expect missing_syncwarp 10 9, missing_syncwarp 11 10, missing_syncwarp 12 11, missing_syncwarp 13 12, missing_syncwarp 10 10, missing_syncwarp 11 11, missing_syncwarp 12 12, missing_syncwarp 13 13; grid 1; block 64
// volatile keeps the compiler from caching, not the lanes from running apart.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int shared[64];
    const int t = threadIdx.x;
    shared[t] = in[t];
    __syncthreads();
    volatile int* s = shared;
    if (t < 32) s[t] += s[t + 32];
    if (t < 32) s[t] += s[t + 16];
    if (t < 32) s[t] += s[t + 8];
    if (t < 32) s[t] += s[t + 4];
    if (t < 32) s[t] += s[t + 2];
    if (t == 0) out[0] = s[0];
}
