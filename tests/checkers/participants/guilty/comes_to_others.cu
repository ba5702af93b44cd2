// expect inactive_lane_read 7 5; grid 1; block 32
// Lane 3 asks in vain, computes with it, and gives it to lane 0, which stores the result.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 4) {
        int v = in[t];
        v = 2 * __shfl_down_sync(0xf, v, 2) + 1;
        v = __shfl_sync(0xf, v, 3);
        if (t == 0) out[0] = v;
    }
}
