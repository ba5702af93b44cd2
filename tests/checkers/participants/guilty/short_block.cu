// expect inactive_lane_read 7; grid 1; block 24
// A tree of 32 for a block of 24 threads: lane 8 adds what no lane has, and lane 0 takes it over.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int v = in[t];
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0x00ffffff, v, d);
    if (t == 0) out[0] = v;
}
