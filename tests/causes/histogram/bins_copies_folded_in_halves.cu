// cause: not_a_power_of_two line 17 or 64
// task: bins
// a block has as many copies as fit and folds them in halves, which drops one where the number is odd; wrong for 1000 bins (12 copies) and 4096 (3)
#include "interface.cuh"

// How the copies lie in shared memory: copy 0 with all its bins, copy 1, ...
// Lane l of a warp counts in copy l % copies, so equal values of neighbours don't meet.

constexpr unsigned kThreads = 512;
constexpr unsigned kSharedBytes = 48u << 10;
constexpr unsigned kMaxCopies = 32;

extern __shared__ unsigned copiesOfBins[];

__device__ void foldCopies(unsigned bin_count, unsigned copies) {
    // a tree: the upper half of the copies is added to the lower one
    for (unsigned half = copies / 2; half > 0; half /= 2) {
        const unsigned cells = half * bin_count;
        for (unsigned c = threadIdx.x; c < cells; c += blockDim.x)
            copiesOfBins[c] += copiesOfBins[c + cells];
        __syncthreads();
    }
}

__global__ void manyCopies(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count,
                           unsigned copies) {
    for (unsigned c = threadIdx.x; c < copies * bin_count; c += blockDim.x) copiesOfBins[c] = 0;
    __syncthreads();

    unsigned* own = copiesOfBins + (threadIdx.x % copies) * bin_count;
    const size_t step = size_t(blockDim.x) * gridDim.x;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += step)
        atomicAdd(own + in[i], 1u);
    __syncthreads();

    foldCopies(bin_count, copies);

    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (copiesOfBins[b] > 0) atomicAdd(bins + b, copiesOfBins[b]);
}

// With so many bins, threads seldom meet: straight to global memory.
__global__ void noCopies(const unsigned* in, size_t n, unsigned* bins) {
    const size_t step = size_t(blockDim.x) * gridDim.x;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += step)
        atomicAdd(bins + in[i], 1u);
}

static unsigned gridFor(size_t n) {
    const size_t wanted = (n + 8 * kThreads - 1) / (8 * kThreads);
    return wanted > 264 ? 264u : unsigned(wanted);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, sizeof(unsigned) * bin_count);
    if (n == 0) return;

    const unsigned fit = kSharedBytes / sizeof(unsigned) / bin_count;
    if (fit == 0) {
        noCopies<<<gridFor(n), kThreads>>>(in, n, bins);
        return;
    }
    unsigned copies = fit < kMaxCopies ? fit : kMaxCopies;
    manyCopies<<<gridFor(n), kThreads, copies * bin_count * sizeof(unsigned)>>>(in, n, bins,
                                                                               bin_count, copies);
}

// Counts of the 256 byte values. Steps of a first version:
//   1. set all bins to zero (they hold garbage);
//   2. launch enough threads, each of which takes some bytes;
//   3. a thread adds 1 to the bin of each of its bytes: many threads meet in one bin.
void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
