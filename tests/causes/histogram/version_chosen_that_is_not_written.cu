// cause: function_missing line 9
// task: bytes
// the switch asks for version 3, but only 1 and 2 are there: the preprocessor leaves the function out
#include "interface.cuh"

// Histogram of bytes, in the order in which I wrote it:
//   1  an atomic in global memory per byte
//   2  a copy of the 256 bins per warp in shared memory, four bytes per load
#define HISTOGRAM_VERSION 3

enum { BINS = 256, WARPS = 8, THREADS = 32 * WARPS };

static unsigned int grid_for(std::size_t n, std::size_t per_thread) {
    const std::size_t per_block = per_thread * THREADS;
    const std::size_t blocks = (n + per_block - 1) / per_block;
    return blocks < 528 ? (unsigned int)blocks : 528u;
}

#if HISTOGRAM_VERSION == 1

__global__ void count_kernel(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t all = (std::size_t)gridDim.x * THREADS;
    for (std::size_t i = (std::size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += all)
        atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    if (n > 0) count_kernel<<<grid_for(n, 1), THREADS>>>(in, n, bins);
}

#elif HISTOGRAM_VERSION == 2

__device__ __forceinline__ void tally(unsigned int* copy, unsigned int four_bytes) {
    atomicAdd(copy + (four_bytes & 255), 1u);
    atomicAdd(copy + (four_bytes >> 8 & 255), 1u);
    atomicAdd(copy + (four_bytes >> 16 & 255), 1u);
    atomicAdd(copy + (four_bytes >> 24), 1u);
}

__global__ void __launch_bounds__(THREADS)
private_kernel(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int copies[WARPS][BINS];

    for (int i = threadIdx.x; i < WARPS * BINS; i += THREADS) copies[i / BINS][i % BINS] = 0;
    __syncthreads();

    unsigned int* copy = copies[threadIdx.x / 32];
    const std::size_t id = (std::size_t)blockIdx.x * THREADS + threadIdx.x;
    const std::size_t all = (std::size_t)gridDim.x * THREADS;

    // words of four bytes, then the rest that fills no word
    const unsigned int* words = reinterpret_cast<const unsigned int*>(in);
    const std::size_t n_words = n / 4;
    for (std::size_t i = id; i < n_words; i += all) tally(copy, words[i]);
    for (std::size_t i = 4 * n_words + id; i < n; i += all) atomicAdd(copy + in[i], 1u);
    __syncthreads();

    // thread b adds up bin b of all copies
    unsigned int sum = 0;
    for (int w = 0; w < WARPS; ++w) sum += copies[w][threadIdx.x];
    if (sum > 0) atomicAdd(bins + threadIdx.x, sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    static_assert((int)THREADS == (int)BINS, "one thread per bin in the merge");
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    if (n > 0) private_kernel<<<grid_for(n, 64), THREADS>>>(in, n, bins);
}

#endif

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
