// innocent; grid 2; block 64; n 100
// All come to the barrier; then some lanes end.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x, i = 64 * blockIdx.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n) return;
    out[i] = s[63 - t];
}
