// cause: wrong_stride line 17
// task: bytes
// The stride is the number of blocks of the grid and not that of its threads, so that bytes are counted by several threads; shows for n above the number of blocks.
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void byte_histogram(const unsigned char* in, size_t n, unsigned* bins) {
    __shared__ unsigned counts[256];
    cg::thread_block block = cg::this_thread_block();

    for (unsigned b = block.thread_rank(); b < 256; b += block.size()) counts[b] = 0;
    block.sync();

    size_t first = size_t(block.group_index().x) * block.size() + block.thread_rank();
    size_t stride = gridDim.x;
    for (size_t i = first; i < n; i += stride) {
        atomicAdd(counts + in[i], 1u);
    }
    block.sync();

    for (unsigned b = block.thread_rank(); b < 256; b += block.size()) {
        atomicAdd(bins + b, counts[b]);
    }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    const int threads = 128;
    const int blocks = 48;
    byte_histogram<<<blocks, threads>>>(in, n, bins);
}
