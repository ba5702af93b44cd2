// innocent; grid 1; block 16
// The width keeps each group of eight to itself.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int v = in[t];
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d, 8);
    out[t] = v;
}
