// innocent; grid 2; block 128
// Two of the four warps meet at a barrier of their own.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[blockIdx.x * 64 + t] = s[63 - t];
    } else {
        out[1024 + blockIdx.x * 64 + t - 64] = in[t];
    }
}
