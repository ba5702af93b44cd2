// innocent; grid 1; block 128
// Two warps meet at a barrier of their own, with their number, while the others have ended.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= 64) {
        out[t] = 2 * in[t];
        return;
    }
    s[t] = in[t];
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[t] = s[63 - t];
}
