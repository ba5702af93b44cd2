// innocent; grid 2; block 64; n 90
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

// The groups of the library know who is in them.
extern "C" __global__ void k(const int* in, int* out, int n) {
    namespace cg = cooperative_groups;
    const int i = 64 * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] % 3 != 0) {
        const cg::coalesced_group active = cg::coalesced_threads();
        int v = in[i];
        v += active.shfl_down(v, 1);
        v = active.shfl(v, 0);
        active.sync();
        const cg::coalesced_group same = cg::labeled_partition(active, in[i] % 2);
        out[i] = v + same.shfl(in[i], 0) + cg::reduce(same, 1, cg::plus<int>());
    }
}
