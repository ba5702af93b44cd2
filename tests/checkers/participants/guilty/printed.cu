// expect inactive_lane_read 8 6; grid 1; block 32
#include <cstdio>

extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 8) {
        // Printing shows what nobody gave.
        const int v = __shfl_down_sync(0xff, in[t], 8);
        if (t == 0) printf("%d\n", v);
    }
}
