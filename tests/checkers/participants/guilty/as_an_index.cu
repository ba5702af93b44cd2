// expect inactive_lane_read 6 5; grid 1; block 32
// The answer is an index: it is used before anything is stored.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 8) {
        const int from = __shfl_xor_sync(0xff, in[t] & 31, 8);
        out[t] = in[from];
    }
}
