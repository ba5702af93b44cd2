// expect inactive_lane_read 7 5; grid 1; block 32
// Two words, one mistake.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 12) {
        double v = in[t];
        v += __shfl_down_sync(0x00000fff, v, 6);
        v += __shfl_xor_sync(0x00000fff, v, 1);
        out[t] = static_cast<int>(v);
    }
}
