// cause: missing_bounds_check line 33
// task: bins
// of the UNROLL loads of a thread only the first is known to be inside; reads beyond in[n - 1] unless n is a multiple of 4 * 256
#include "interface.cuh"

// Counts of the 256 byte values. Steps of a first version:
//   1. set all bins to zero (they hold garbage);
//   2. launch enough threads, each of which takes some bytes;
//   3. a thread adds 1 to the bin of each of its bytes: many threads meet in one bin.
void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

namespace {

constexpr unsigned THREADS = 256;
constexpr unsigned UNROLL = 4;  // elements per thread and turn, for more loads under way
constexpr unsigned ROOM = 48 * 1024 / sizeof(unsigned int);

// Counts where it is told to, shared or global.
struct Counter {
    unsigned int* where;
    __device__ void operator()(unsigned int value) const { atomicAdd(where + value, 1u); }
};

// One turn of the whole grid is gridDim.x tiles of UNROLL * THREADS elements.
__device__ void countAll(const unsigned int* in, std::size_t n, Counter count) {
    const std::size_t tile = UNROLL * THREADS;
    for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < n; base += gridDim.x * tile) {
#pragma unroll
        for (unsigned u = 0; u < UNROLL; ++u) {
            const std::size_t i = base + u * THREADS;
            count(in[i]);
        }
    }
}

__global__ void sharedHistogram(const unsigned int* in, std::size_t n, unsigned int* bins,
                                unsigned int bin_count) {
    extern __shared__ unsigned int mine[];

    for (unsigned int b = threadIdx.x; b < bin_count; b += THREADS) mine[b] = 0;
    __syncthreads();

    countAll(in, n, Counter{mine});
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < bin_count; b += THREADS) {
        const unsigned int c = mine[b];
        if (c != 0) atomicAdd(bins + b, c);  // most are empty for many bins
    }
}

__global__ void globalHistogram(const unsigned int* in, std::size_t n, unsigned int* bins) {
    countAll(in, n, Counter{bins});
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;

    // not more blocks than are resident at once: every block has to merge all of its bins
    std::size_t blocks = (n + THREADS * UNROLL - 1) / (THREADS * UNROLL);
    if (blocks > 264) blocks = 264;

    if (bin_count <= ROOM) {
        sharedHistogram<<<unsigned(blocks), THREADS, bin_count * sizeof(unsigned int)>>>(
            in, n, bins, bin_count);
    } else {
        globalHistogram<<<unsigned(blocks), THREADS>>>(in, n, bins);
    }
}
