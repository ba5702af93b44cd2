// cause: size_in_elements line 45
// task: bins
// The dynamic shared memory is asked for in counters instead of bytes, so three quarters of the private bins lie outside of it.
#include "interface.cuh"

#include <algorithm>

// Private histogram in shared memory; its size is known only at launch.
__global__ void privatised(const unsigned int* in, std::size_t n, unsigned int* bins,
                           unsigned int bin_count) {
    extern __shared__ unsigned int mine[];
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) mine[b] = 0;
    __syncthreads();

    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    while (i < n) {
        atomicAdd(mine + in[i], 1u);
        i += stride;
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
        const unsigned int c = mine[b];
        if (c) atomicAdd(bins + b, c);
    }
}

// Too many bins for shared memory: count in global memory.
__global__ void direct(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (; i < n; i += stride) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    constexpr unsigned int threads = 512;
    const std::size_t blocks = std::min<std::size_t>((n + threads - 1) / threads, 128);
    if (bin_count <= 48 * 1024 / sizeof(unsigned int)) {
        privatised<<<unsigned(blocks), threads, bin_count>>>(in, n, bins, bin_count);
    } else {
        direct<<<unsigned(blocks), threads>>>(in, n, bins);
    }
}
