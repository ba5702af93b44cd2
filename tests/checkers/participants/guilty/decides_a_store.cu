// expect inactive_lane_read 7 5; grid 1; block 32
// What nobody gave decides whether something is written.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 4) {
        const int v = in[t];
        if (__shfl_down_sync(0xf, v, 4) > 2) out[t] = 1;
    }
}
