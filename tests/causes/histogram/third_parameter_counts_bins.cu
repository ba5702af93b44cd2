// cause: size_in_elements line 41
// task: bins
// The third launch parameter is a number of bytes, but it gets the number of bins: a block has only
// a quarter of the shared memory that it uses.
#include "interface.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void bins_kernel(const unsigned int* in, size_t n, unsigned int* bins,
                            unsigned int bin_count) {
    extern __shared__ unsigned int s_bins[];
    cg::thread_block block = cg::this_thread_block();

    for (unsigned int k = block.thread_rank(); k < bin_count; k += block.size())
        s_bins[k] = 0;
    block.sync();

    size_t stride = (size_t)gridDim.x * block.size();
    for (size_t k = (size_t)blockIdx.x * block.size() + block.thread_rank(); k < n; k += stride)
        atomicAdd(&s_bins[in[k]], 1);
    block.sync();

    for (unsigned int k = block.thread_rank(); k < bin_count; k += block.size())
        atomicAdd(&bins[k], s_bins[k]);
}

// too many bins for shared memory
__global__ void many_bins_kernel(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        atomicAdd(&bins[in[k]], 1);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, sizeof(unsigned int) * bin_count);
    if (n == 0)
        return;
    if (bin_count <= 12288)
        bins_kernel<<<16, 512, bin_count>>>(in, n, bins, bin_count);
    else
        many_bins_kernel<<<(unsigned int)((n + 511) / 512), 512>>>(in, n, bins);
}
