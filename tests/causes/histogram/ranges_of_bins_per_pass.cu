// cause: launch_refused line 7 or 100
// task: bins
// 12288 counters of dynamic shared memory are all 48 KB, and the kernel has one more word of static shared memory: the launch is refused from 12288 bins on.
#include "interface.cuh"

// All of the 48 KB of a block
static const unsigned int COUNTERS_PER_PASS = 48 * 1024 / sizeof(unsigned int);

static const int BLOCK_SIZE = 256;
static const int MAXIMAL_GRID = 48;

// A range of bins, from `first` on, that fits in shared memory.
struct Range {
    unsigned int first;
    unsigned int length;
};

__device__ void clear_counters(unsigned int* counters, const Range& range) {
    for (unsigned int c = threadIdx.x; c < range.length; c += blockDim.x) {
        counters[c] = 0;
    }
}

__device__ bool is_in_range(unsigned int value, const Range& range) {
    return value >= range.first && value - range.first < range.length;
}

__device__ void count_values(const unsigned int* in, size_t n, unsigned int* counters,
                             unsigned int* hits, const Range& range) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t start = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = start; i < n; i += step) {
        unsigned int value = in[i];
        if (is_in_range(value, range)) {
            atomicAdd(&counters[value - range.first], 1u);
            atomicOr(hits, 1u);
        }
    }
}

__device__ void merge_counters(const unsigned int* counters, unsigned int* bins,
                               const Range& range) {
    for (unsigned int c = threadIdx.x; c < range.length; c += blockDim.x) {
        if (counters[c] != 0) {
            atomicAdd(&bins[range.first + c], counters[c]);
        }
    }
}

__global__ void count_range(const unsigned int* in, size_t n, unsigned int* bins, Range range) {
    extern __shared__ unsigned int counters[];
    __shared__ unsigned int hits;  // without any, there is nothing to merge

    if (threadIdx.x == 0) {
        hits = 0;
    }
    clear_counters(counters, range);
    __syncthreads();

    count_values(in, n, counters, &hits, range);
    __syncthreads();

    if (hits != 0) {
        merge_counters(counters, bins, range);
    }
}

static int blocks_for(size_t n) {
    size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks < 1) {
        blocks = 1;
    }
    if (blocks > (size_t)MAXIMAL_GRID) {
        blocks = MAXIMAL_GRID;
    }
    return (int)blocks;
}

static Range next_range(unsigned int first, unsigned int bin_count) {
    Range range;
    range.first = first;
    range.length = bin_count - first;
    if (range.length > COUNTERS_PER_PASS) {
        range.length = COUNTERS_PER_PASS;
    }
    return range;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    unsigned int first = 0;
    while (first < bin_count) {
        Range range = next_range(first, bin_count);
        size_t shared_bytes = range.length * sizeof(unsigned int);
        count_range<<<blocks_for(n), BLOCK_SIZE, shared_bytes>>>(in, n, bins, range);
        first += range.length;
    }
}
