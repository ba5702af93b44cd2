// cause: missing_barrier line 25 or 28
// task: bytes
// No barrier between counting and merging: warps that finish early add up other warps' copies too soon; shows for more than one warp of data.
#include "interface.cuh"
#include <cstdint>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBins = 256;

__global__ void countBytes(const std::uint8_t* __restrict__ in, std::size_t n,
                           unsigned* __restrict__ bins) {
    __shared__ unsigned local[kWarps][kBins];
    const int warp = threadIdx.x / 32;

    unsigned* flat = &local[0][0];
    for (int k = threadIdx.x; k < kWarps * kBins; k += kThreads) flat[k] = 0;
    __syncthreads();

    const std::size_t step = std::size_t(gridDim.x) * kThreads;
    for (std::size_t k = std::size_t(blockIdx.x) * kThreads + threadIdx.x; k < n; k += step) {
        atomicAdd(&local[warp][in[k]], 1u);
    }

    // every thread is responsible for one bin now
    unsigned total = 0;
    for (int w = 0; w < kWarps; ++w) total += local[w][threadIdx.x];
    if (total != 0) atomicAdd(&bins[threadIdx.x], total);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, kBins * sizeof(unsigned));
    if (n == 0) return;
    std::size_t blocks = (n + kThreads * 64 - 1) / (kThreads * 64);
    if (blocks > 512) blocks = 512;
    countBytes<<<static_cast<unsigned>(blocks), kThreads>>>(in, n, bins);
}
