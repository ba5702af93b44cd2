// cause: uninitialised_shared line 17
// task: bytes
// Each warp has a copy of the histogram in shared memory, but the loop that clears them clears 256 counters only, which
// is the copy of the first warp.
#include <cooperative_groups.h>

#include "interface.cuh"

namespace cg = cooperative_groups;

template <int BINS, int WARPS>
__global__ void perWarpHistogram(const unsigned char* __restrict__ input, std::size_t count,
                                 unsigned int* __restrict__ result) {
    cg::thread_block block = cg::this_thread_block();
    __shared__ unsigned int copies[WARPS * BINS];

    for (unsigned int i = block.thread_rank(); i < BINS; i += block.size()) copies[i] = 0;
    block.sync();

    unsigned int* own = copies + (block.thread_rank() / 32) * BINS;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t hop = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = first; i < count; i += hop) atomicAdd(own + input[i], 1u);
    block.sync();

    for (unsigned int b = block.thread_rank(); b < BINS; b += block.size()) {
        unsigned int sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += copies[w * BINS + b];
        if (sum != 0) atomicAdd(result + b, sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    constexpr int warps = 8;
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    const int grid = n > 100000 ? 20 : 1;
    perWarpHistogram<256, warps><<<grid, 32 * warps>>>(in, n, bins);
}
