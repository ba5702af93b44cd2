// expect inactive_lane_read 10 8; grid 1; block 32; n 8
// Eight lanes take part, as the mask says, but the tree begins at 16.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    const unsigned some = __ballot_sync(0xffffffff, t < n);
    int v = in[t];
    out[t] = 0;
    if (t >= n) return;
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(some, v, d);
    if (t == 0) out[0] = v;
}
