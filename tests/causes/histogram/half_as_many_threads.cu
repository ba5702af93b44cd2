// cause: uninitialised_shared line 14
// task: bytes
// A block of 128 threads clears only the first 128 of its 256 private bins.
#include "interface.cuh"

constexpr int threads_per_block = 128;
constexpr int max_blocks = 64;

__global__ void clear_bins(unsigned int* bins) { bins[threadIdx.x] = 0; }

__global__ void count_bytes(const unsigned char* __restrict__ in, std::size_t n,
                            unsigned int* __restrict__ bins) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();

    const std::size_t step = static_cast<std::size_t>(blockDim.x) * gridDim.x;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (local[b] != 0) atomicAdd(&bins[b], local[b]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    clear_bins<<<1, 256>>>(bins);
    if (n == 0) return;
    std::size_t blocks = (n + threads_per_block - 1) / threads_per_block;
    if (blocks > max_blocks) blocks = max_blocks;
    count_bytes<<<static_cast<unsigned int>(blocks), threads_per_block>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {}
