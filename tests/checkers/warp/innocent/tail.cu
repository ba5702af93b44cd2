// innocent; grid 2; block 32
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncwarp();
    for (int d = 32; d > 0; d /= 2) {
        const int v = s[t + d];
        __syncwarp();
        s[t] += t < d ? v : 0;
        __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = s[t];
}
