// expect missing_syncwarp 8 6; grid 1; block 32
// The halves are synchronised each for itself, and then read each other's words.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(t < 16 ? 0xFFFF : 0xFFFF0000);
    out[t] = s[t ^ 16];
}
