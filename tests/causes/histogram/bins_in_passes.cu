// cause: missing_barrier line 39 or 40
// task: bins
// At the end of a pass no barrier keeps the clearing of the next pass away from counters that other threads have not merged yet.
#include "interface.cuh"

void histogram_bytes(const unsigned char*, std::size_t, unsigned int*) {}

// Any number of bins: the block goes over its input several times, and in each pass counts only
// the values of a window of WINDOW bins, which fits into static shared memory.
#define WINDOW 8192
#define THREADS 256

__global__ void hist_passes(const unsigned int *in, size_t n, unsigned int *bins,
                            unsigned int bin_count)
{
    __shared__ uint4 window4[WINDOW / 4];
    unsigned int *window = (unsigned int *)window4;
    const size_t start = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t stride = (size_t)gridDim.x * THREADS;

    for (unsigned int low = 0; low < bin_count; low += WINDOW) {
        // clear, 16 bytes at a time
        for (int w = threadIdx.x; w < WINDOW / 4; w += THREADS)
            window4[w] = make_uint4(0, 0, 0, 0);
        __syncthreads();

        // count
        for (size_t i = start; i < n; i += stride) {
            unsigned int v = in[i];
            if (v >= low && v - low < WINDOW)
                atomicAdd(&window[v - low], 1u);
        }
        __syncthreads();

        // merge
        unsigned int count = bin_count - low < WINDOW ? bin_count - low : WINDOW;
        for (unsigned int b = threadIdx.x; b < count; b += THREADS)
            if (window[b] > 0)
                atomicAdd(&bins[low + b], window[b]);
    }
}

void histogram_bins(const unsigned int *in, std::size_t n, unsigned int *bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    size_t blocks = (n + THREADS * 16 - 1) / (THREADS * 16);
    if (blocks == 0) blocks = 1;
    if (blocks > 32) blocks = 32;
    hist_passes<<<(unsigned int)blocks, THREADS>>>(in, n, bins, bin_count);
}
