// expect missing_syncwarp 9 9; grid 1; block 32
// The tail of a reduction in one warp, as it was written before Volta.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncwarp();
    for (int d = 32; d > 0; d /= 2) s[t] += s[t + d];
    out[t] = s[t];
}
