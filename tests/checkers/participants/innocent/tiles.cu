// innocent; grid 1; block 64; n 48
#include <cooperative_groups.h>

// A tile of 16 lanes has ended; the others are whole, each for itself.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const auto tile =
        cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    const int t = threadIdx.x;
    if (t >= n) return;
    int v = in[t];
    for (int d = 8; d > 0; d /= 2) v += tile.shfl_down(v, d);
    tile.sync();
    v = tile.shfl(v, 0);
    out[t] = v;
}
