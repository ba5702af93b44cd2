// cause: launch_refused line 10
// task: bins
// A window of 16384 counters takes 64 KB of dynamic shared memory, which a block does not get without asking, so nothing is counted when there are more than 12288 bins.
#include <algorithm>

#include "interface.cuh"

namespace {

constexpr unsigned int kWindow = 16384;
constexpr int kBlockSize = 512;
constexpr int kGridSize = 16;

// counts the values in [lo, lo + width)
__global__ void countWindow(const unsigned int* in, size_t n, unsigned int* bins, unsigned int lo,
                            unsigned int width) {
    extern __shared__ unsigned int window[];

    for (unsigned int b = threadIdx.x; b < width; b += blockDim.x) window[b] = 0;
    __syncthreads();

    const size_t stride = static_cast<size_t>(blockDim.x) * gridDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned int offset = in[i] - lo;  // wraps around if below lo
        if (offset < width) atomicAdd(&window[offset], 1u);
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < width; b += blockDim.x)
        if (window[b] != 0) atomicAdd(&bins[lo + b], window[b]);
}

}  // namespace

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    cudaMemsetAsync(bins, 0, bin_count * sizeof(*bins));
    for (unsigned int lo = 0; lo < bin_count; lo += kWindow) {
        const unsigned int width = std::min(kWindow, bin_count - lo);
        countWindow<<<kGridSize, kBlockSize, width * sizeof(unsigned int)>>>(in, n, bins, lo, width);
    }
}
