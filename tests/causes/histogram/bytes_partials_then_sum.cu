// cause: counter_too_narrow line 11
// task: bytes
// The blocks' partial histograms are stored as 16-bit counters; wrong when one block finds more than 65535 equal bytes.
#include "interface.cuh"

namespace {

constexpr int kBlocks = 8;
constexpr int kThreads = 512;

using Count = unsigned short;

__device__ Count partial[kBlocks][256];

// Phase 1: each block leaves its own histogram in memory, no atomics between blocks.
__global__ void count(const unsigned char* in, std::size_t n) {
    __shared__ unsigned int mine[256];
    if (threadIdx.x < 256) mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{kBlocks} * kThreads;
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += stride) {
        atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 256) {
        partial[blockIdx.x][threadIdx.x] = static_cast<Count>(mine[threadIdx.x]);
    }
}

// Phase 2: one thread per bin sums over the blocks.
__global__ void sum(unsigned int* bins) {
    unsigned int total = 0;
    for (int b = 0; b < kBlocks; ++b) total += partial[b][threadIdx.x];
    bins[threadIdx.x] = total;
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    count<<<kBlocks, kThreads>>>(in, n);
    sum<<<1, 256>>>(bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
