// expect missing_syncwarp 7 6; grid 1; block 32
// Lanes exchange values through shared memory.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[31 - t];
}
