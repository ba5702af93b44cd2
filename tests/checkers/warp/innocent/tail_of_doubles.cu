// innocent; grid 2; block 64
// Two words a lane: each step reads, meets, writes and meets.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ double s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t >= 32) return;
    double v = s[t];
    for (int d = 32; d > 0; d /= 2) {
        v += s[t + d >= 64 ? t : t + d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    v = s[t] + s[t + 16];
    __syncwarp();
    s[t] = v;
    if (t == 0) out[blockIdx.x] = static_cast<int>(s[0]);
}
