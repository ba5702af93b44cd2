// innocent; grid 3; block 64; n 150
// A shared halo that two threads read, and threads that leave before the end.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = i < n ? in[i] : 0;
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63) s[65] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i >= n) return;
    out[i] = s[t] + s[t + 1] + s[t + 2];
}
