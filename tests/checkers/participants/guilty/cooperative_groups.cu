// expect barrier_divergence 10 8; grid 1; block 64; n 40
#include <cooperative_groups.h>

// The group is the block, and some of it has gone home.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;
    if (t >= n) return;
    out[t] = in[t];
    block.sync();
    out[t] += 1;
}
