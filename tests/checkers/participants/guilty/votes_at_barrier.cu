// expect inactive_lane_read 6 6; grid 1; block 32
// Lanes 0 to 7 ask in vain, and the whole block is told how many of their answers are large.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int v = 0;
    if (t < 8) v = __shfl_down_sync(0xff, in[t], 8);
    out[t] = __syncthreads_count(v > 2);
}
