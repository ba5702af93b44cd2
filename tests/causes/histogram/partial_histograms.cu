// cause: counter_too_narrow line 8
// task: bytes
// The blocks' counts are stored in 16 bits, which wrap around when a block has met one value more than 65,535 times.
#include "interface.cuh"

// No atomics on global memory: each block writes its histogram to a row of its own, and a second
// kernel adds up the columns.
using Partial = unsigned short;

constexpr int rows = 8;

__device__ Partial partials[rows][256];

__global__ void first_pass(const unsigned char* in, std::size_t n) {
    __shared__ unsigned int counts[8][256];  // one for each warp
    for (int w = 0; w < 8; ++w) counts[w][threadIdx.x] = 0;
    __syncthreads();

    unsigned int* const mine = counts[threadIdx.x / 32];
    for (std::size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += rows * 256) {
        atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();

    unsigned int sum = 0;
    for (int w = 0; w < 8; ++w) sum += counts[w][threadIdx.x];
    partials[blockIdx.x][threadIdx.x] = sum;
}

__global__ void second_pass(unsigned int* bins) {
    unsigned int sum = 0;
    for (int row = 0; row < rows; ++row) {
        sum += partials[row][threadIdx.x];
    }
    bins[threadIdx.x] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    first_pass<<<rows, 256>>>(in, n);
    second_pass<<<1, 256>>>(bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // later
}
