// innocent; grid 2; block 128; n 64
// Warps that have ended are not waited for, and each is whole.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();
    out[64 * blockIdx.x + t] = s[63 - t];
}
