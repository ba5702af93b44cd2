// cause: signed_byte line 16
// task: bytes
// The members of a char4 are signed, so that bytes from 128 on give indices below zero.
#include "interface.cuh"

// One private histogram per block, four bytes per load.
__global__ void count_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();

    const std::size_t first = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;

    // in is aligned to 256 bytes, so it can be read as vectors
    const char4* in4 = reinterpret_cast<const char4*>(in);
    for (std::size_t i = first; i < n / 4; i += step) {
        const auto quad = in4[i];
        atomicAdd(&local[quad.x], 1u);
        atomicAdd(&local[quad.y], 1u);
        atomicAdd(&local[quad.z], 1u);
        atomicAdd(&local[quad.w], 1u);
    }
    // the last 0 to 3 bytes
    for (std::size_t i = n / 4 * 4 + first; i < n; i += step) atomicAdd(&local[in[i]], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (local[b] != 0) atomicAdd(&bins[b], local[b]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    std::size_t blocks = (n + 4095) / 4096;
    if (blocks > 264) blocks = 264;
    count_bytes<<<unsigned(blocks), 256>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
