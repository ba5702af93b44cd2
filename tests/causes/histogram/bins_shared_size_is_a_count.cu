// cause: size_in_elements line 53
// task: bins
// The third launch parameter is in bytes; the number of bins gives a quarter of the shared memory that is used.
#include "interface.cuh"

// Histogram with any number of bins.
//   privatized:  bins that fit in shared memory
//   plain:       all the others

template <bool Privatized>
__global__ void histogram_kernel(const unsigned int* __restrict__ in, std::size_t n,
                                 unsigned int* bins, unsigned int bin_count) {
    extern __shared__ unsigned int s_bins[];
    const std::size_t tid = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;

    if constexpr (Privatized) {
        for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
            s_bins[b] = 0;
        }
        __syncthreads();
    }

    unsigned int* counters = Privatized ? s_bins : bins;
    for (std::size_t i = tid; i < n; i += stride) {
        atomicAdd(&counters[in[i]], 1u);
    }

    if constexpr (Privatized) {
        __syncthreads();
        for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
            if (s_bins[b] != 0) atomicAdd(&bins[b], s_bins[b]);
        }
    }
}

__global__ void clear_bins(unsigned int* bins, unsigned int bin_count) {
    const unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bin_count) bins[b] = 0;
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    constexpr unsigned int block_size = 256;
    constexpr unsigned int bins_that_fit = 48 * 1024 / sizeof(unsigned int);

    clear_bins<<<(bin_count + block_size - 1) / block_size, block_size>>>(bins, bin_count);
    if (n == 0) return;

    std::size_t grid_size = (n + block_size - 1) / block_size;
    if (bin_count <= bins_that_fit) {
        if (grid_size > 128) grid_size = 128;
        histogram_kernel<true><<<static_cast<unsigned int>(grid_size), block_size, bin_count>>>(
            in, n, bins, bin_count);
    } else {
        if (grid_size > 2048) grid_size = 2048;
        histogram_kernel<false>
            <<<static_cast<unsigned int>(grid_size), block_size>>>(in, n, bins, bin_count);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
