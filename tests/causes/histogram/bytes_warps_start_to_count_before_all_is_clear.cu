// cause: missing_barrier line 28 or 31
// task: bytes
// the block clears all the warps' histograms together, but a warp starts to count without waiting for the others; counts are lost when a warp is late
#include "interface.cuh"

#include <cstdint>

// Each warp counts in a histogram of its own, so that only 32 threads meet in a counter.
#define WARPS_PER_BLOCK 8
#define BLOCK_SIZE (WARPS_PER_BLOCK * 32)
#define BINS 256

// the four bytes of a word, the lowest first
__device__ __forceinline__ void count_word(unsigned int* h, std::uint32_t word) {
    atomicAdd(&h[word & 0xff], 1u);
    atomicAdd(&h[(word >> 8) & 0xff], 1u);
    atomicAdd(&h[(word >> 16) & 0xff], 1u);
    atomicAdd(&h[word >> 24], 1u);
}

__global__ void histogram_per_warp(const unsigned char* __restrict__ in, std::size_t n,
                                   unsigned int* __restrict__ bins) {
    __shared__ unsigned int warp_bins[WARPS_PER_BLOCK * BINS];

    // clear
    for (int k = threadIdx.x; k < WARPS_PER_BLOCK * BINS; k += BLOCK_SIZE) {
        warp_bins[k] = 0;
    }

    // count
    unsigned int* own = warp_bins + (threadIdx.x / 32) * BINS;
    const std::size_t id = (std::size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const std::size_t threads = (std::size_t)gridDim.x * BLOCK_SIZE;
    const std::size_t words = n / 4;
    const std::uint32_t* in4 = reinterpret_cast<const std::uint32_t*>(in);

    for (std::size_t w = id; w < words; w += threads) {
        count_word(own, in4[w]);
    }
    // up to three bytes are left over
    const std::size_t last = words * 4 + id;
    if (last < n) {
        atomicAdd(&own[in[last]], 1u);
    }

    // merge, when the last warp of the block is done: thread b adds up bin b
    __syncthreads();
    unsigned int sum = 0;
    for (int w = 0; w < WARPS_PER_BLOCK; w++) {
        sum += warp_bins[w * BINS + threadIdx.x];
    }
    if (sum > 0) {
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));

    // at least 64 bytes for a thread, else the merge costs more than the counting
    std::size_t blocks = n / (64 * BLOCK_SIZE) + 1;
    if (blocks > 528) blocks = 528;
    histogram_per_warp<<<(unsigned int)blocks, BLOCK_SIZE>>>(in, n, bins);
}

// The same for `bin_count` bins and 32-bit values. Where the bins fit in shared memory, count
// there.
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
