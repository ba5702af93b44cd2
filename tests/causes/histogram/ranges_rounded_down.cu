// cause: grid_too_small or tail_ignored line 46
// task: bins
// Each row of blocks counts one range of 6000 bins. The number of ranges is rounded down, so that the bins of the last,
// partial range are never counted if there are more than 6000.
#include <algorithm>

#include "interface.cuh"

namespace {

constexpr unsigned int RANGE = 6000;  // 24 KB: two blocks fit on a multiprocessor

struct Slice {
    unsigned int lo;
    unsigned int size;
    __device__ bool holds(unsigned int v) const { return v >= lo && v - lo < size; }
};

// blockIdx.y chooses the range of bins, blockIdx.x shares the input out
__global__ __launch_bounds__(512) void rangedHistogram(const unsigned int* in, std::size_t n, unsigned int* bins,
                                                       unsigned int binCount) {
    __shared__ unsigned int counts[RANGE];
    Slice s;
    s.lo = blockIdx.y * RANGE;
    s.size = min(RANGE, binCount - s.lo);

    for (unsigned int k = threadIdx.x; k < s.size; k += blockDim.x) counts[k] = 0;
    __syncthreads();

    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        const unsigned int v = in[i];
        if (s.holds(v)) atomicAdd(&counts[v - s.lo], 1u);
    }
    __syncthreads();

    for (unsigned int k = threadIdx.x; k < s.size; k += blockDim.x) {
        if (counts[k] > 0) atomicAdd(&bins[s.lo + k], counts[k]);
    }
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
    cudaMemset(bins, 0, std::size_t(bin_count) * sizeof(unsigned int));
    const unsigned int ranges = std::max(1u, bin_count / RANGE);
    const unsigned int columns = n < 20000 ? 1 : 6;
    rangedHistogram<<<dim3(columns, ranges), 512>>>(in, n, bins, bin_count);
}
