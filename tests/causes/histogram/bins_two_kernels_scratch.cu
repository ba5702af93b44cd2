// cause: use_after_free line 69
// task: bins
// The scratch memory is freed at the end, but its static pointer and size remain, and the next call uses (or frees) it again.
#include "interface.cuh"

namespace {

constexpr unsigned kBlocks = 16;
constexpr unsigned kThreads = 256;
constexpr unsigned kSharedBins = 48 * 1024 / sizeof(unsigned);

// First kernel: each block counts its share and leaves its own histogram in partial.
__global__ void count(const unsigned* __restrict__ in, std::size_t n, unsigned* partial,
                      unsigned bin_count) {
    extern __shared__ unsigned mine[];
    for (auto b = threadIdx.x; b < bin_count; b += blockDim.x) mine[b] = 0;
    __syncthreads();

    const auto stride = std::size_t{gridDim.x} * blockDim.x;
    for (auto i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(mine + in[i], 1u);
    __syncthreads();

    auto* row = partial + std::size_t{blockIdx.x} * bin_count;
    for (auto b = threadIdx.x; b < bin_count; b += blockDim.x) row[b] = mine[b];
}

// Second kernel: one thread per bin adds up what the blocks have left.
__global__ void merge(const unsigned* __restrict__ partial, unsigned rows, unsigned* bins,
                      unsigned bin_count) {
    const auto b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned sum = 0;
    for (unsigned r = 0; r < rows; ++r) sum += partial[std::size_t{r} * bin_count + b];
    bins[b] = sum;
}

__global__ void count_globally(const unsigned* __restrict__ in, std::size_t n, unsigned* bins) {
    const auto stride = std::size_t{gridDim.x} * blockDim.x;
    for (auto i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(bins + in[i], 1u);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    if (bin_count > kSharedBins) {
        cudaMemset(bins, 0, bin_count * sizeof(unsigned));
        count_globally<<<kBlocks, kThreads>>>(in, n, bins);
        return;
    }

    static unsigned* partial = nullptr;
    static std::size_t capacity = 0;
    const std::size_t needed = std::size_t{kBlocks} * bin_count;
    if (needed > capacity) {
        cudaFree(partial);
        cudaMalloc(&partial, needed * sizeof(unsigned));
        capacity = needed;
    }

    count<<<kBlocks, kThreads, bin_count * sizeof(unsigned)>>>(in, n, partial, bin_count);
    merge<<<(bin_count + kThreads - 1) / kThreads, kThreads>>>(partial, kBlocks, bins, bin_count);
    cudaFree(partial);
}
