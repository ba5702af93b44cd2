// innocent; grid 4; block 1; seed 2
#include <cuda/atomic>
// The default order, which is the strongest.
extern "C" __global__ void k(const int* in, int* out, int n) {
    ::cuda::atomic_ref<int, ::cuda::thread_scope_system> lock(out[64]);
    while (lock.exchange(1) != 0) {}
    out[0] += in[blockIdx.x];
    lock.exchange(0);
}
