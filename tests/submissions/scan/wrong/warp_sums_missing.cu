// expect: inclusive_int=wrong_answer
// Scans within each warp by shuffles, and forgets the sums of the warps before.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        const int below = __shfl_up_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 >= d) v += below;
    }
    if (i < n) out[i] = v;
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scan<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
