// cause: launch_refused line 9
// task: bins
// A slice of 16384 counters needs 64 KB of dynamic shared memory, more than a block gets without asking; every launch with more than 12288 bins is refused.
#include "interface.cuh"

#include <algorithm>

// Bins that do not fit are handled slice by slice: the input is read once per slice.
static constexpr unsigned int slice_max = 16 * 1024;

__global__ void count_slice(const unsigned int* in, size_t n, unsigned int* bins, unsigned int lo, unsigned int count)
{
    extern __shared__ unsigned int local[];
    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x) local[k] = 0u;
    __syncthreads();

    const size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride) {
        const unsigned int k = in[i] - lo;   // wraps around for values below the slice
        if (k < count) atomicAdd(&local[k], 1u);
    }
    __syncthreads();

    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x)
        if (local[k] != 0u) atomicAdd(&bins[lo + k], local[k]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count)
{
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    const unsigned int threads = 256;
    const size_t wanted = (n + threads * 16 - 1) / (threads * 16);
    const unsigned int blocks = (unsigned int)std::min<size_t>(std::max<size_t>(wanted, 1), 64);

    for (unsigned int lo = 0; lo < bin_count; lo += slice_max) {
        const unsigned int count = std::min(slice_max, bin_count - lo);
        count_slice<<<blocks, threads, count * sizeof(unsigned int)>>>(in, n, bins, lo, count);
    }
}
