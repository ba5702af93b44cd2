// cause: missing_barrier line 30 or 32
// task: bytes
// Between counting and merging there is no barrier: a thread adds a private bin to the result while
// threads of other warps still count in it.
#include "interface.cuh"

namespace {

constexpr unsigned kBins = 256;
constexpr unsigned kThreads = 512;

struct Grid {
    std::size_t rank;
    std::size_t size;
    __device__ Grid()
        : rank(std::size_t{blockIdx.x} * kThreads + threadIdx.x),
          size(std::size_t{gridDim.x} * kThreads) {}
};

__global__ void __launch_bounds__(kThreads)
    private_histogram(const unsigned char* __restrict__ in, std::size_t n,
                      unsigned* __restrict__ bins) {
    __shared__ unsigned local[kBins];
    for (unsigned b = threadIdx.x; b < kBins; b += kThreads) local[b] = 0;
    __syncthreads();

    const Grid grid;
    for (std::size_t i = grid.rank; i < n; i += grid.size) {
        atomicAdd(&local[in[i]], 1u);
    }

    for (unsigned b = threadIdx.x; b < kBins; b += kThreads) {
        if (const unsigned count = local[b]) atomicAdd(&bins[b], count);
    }
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, kBins * sizeof(*bins));
    private_histogram<<<48, kThreads>>>(in, n, bins);
}
