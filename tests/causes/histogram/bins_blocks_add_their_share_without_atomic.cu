// cause: missing_atomic line 63
// task: bins
// in the merge every block does bins[v] += with plain loads and stores; counts of other blocks are lost as soon as there are two blocks
#include "interface.cuh"

// Counts of the 256 byte values. Steps of a first version:
//   1. set all bins to zero (they hold garbage);
//   2. launch enough threads, each of which takes some bytes;
//   3. a thread adds 1 to the bin of each of its bytes: many threads meet in one bin.
void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

/* bins: every value below bin_count, 32 bits each.
 *
 *   - If the histogram is larger than a block's shared memory, we go over the input several times.
 *     In pass p only the values [p * WINDOW, (p + 1) * WINDOW) count.
 *   - blockIdx.y is the pass, so that one launch does them all.
 */

#define WINDOW 12288u /* 48 KB */
#define NTHREADS 512u

struct Range {
    unsigned first, size;

    __device__ bool has(unsigned v) const { return v - first < size; }  // also false below first
};

__device__ Range my_window(unsigned bin_count) {
    Range r;
    r.first = blockIdx.y * WINDOW;
    r.size = min(WINDOW, bin_count - r.first);
    return r;
}

template <class F>
__device__ void for_each_element(const unsigned* data, size_t n, F f) {
    size_t i = (size_t)blockIdx.x * NTHREADS + threadIdx.x;
    while (i < n) {
        f(data[i]);
        i += (size_t)gridDim.x * NTHREADS;
    }
}

__global__ void windowed_histogram(const unsigned* data, size_t n, unsigned* bins,
                                   unsigned bin_count) {
    __shared__ unsigned local[WINDOW];
    const Range window = my_window(bin_count);

    // 1. clear
    for (unsigned k = threadIdx.x; k < window.size; k += NTHREADS) local[k] = 0;
    __syncthreads();

    // 2. count
    for_each_element(data, n, [&](unsigned v) {
        if (window.has(v)) atomicAdd(&local[v - window.first], 1);
    });
    __syncthreads();

    // 3. merge: now each thread has its own bins
    for (unsigned k = threadIdx.x; k < window.size; k += NTHREADS) {
        if (local[k]) bins[window.first + k] += local[k];
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));

    dim3 grid;
    grid.x = (unsigned)(n / 4096 + 1);
    if (grid.x > 132) grid.x = 132;
    grid.y = (bin_count + WINDOW - 1) / WINDOW;
    windowed_histogram<<<grid, NTHREADS>>>(in, n, bins, bin_count);
}
