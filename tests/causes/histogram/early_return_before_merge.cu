// cause: divergent_barrier line 20 or 24
// task: bins
// Threads beyond n return at once, so they never reach the block's barriers (and do not help with
// clearing and merging).
#include "interface.cuh"

// bins are handled in windows of this size, one row of the grid per window
const unsigned int WINDOW = 2048;
const unsigned int BLOCK = 256;

__global__ void window_hist(const unsigned int* in, unsigned long long n, unsigned int* bins,
                            unsigned int bin_count) {
    __shared__ unsigned int part[WINDOW];

    unsigned int lo = blockIdx.y * WINDOW;
    unsigned int width = bin_count - lo;
    if (width > WINDOW) width = WINDOW;

    unsigned long long first = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
    if (first >= n) return; // nothing to do here

    for (unsigned int b = threadIdx.x; b < width; b += BLOCK)
        part[b] = 0;
    __syncthreads();

    for (unsigned long long i = first; i < n; i += (unsigned long long)BLOCK * gridDim.x) {
        unsigned int v = in[i] - lo; // wraps around below the window
        if (v < width) atomicAdd(&part[v], 1u);
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < width; b += BLOCK) {
        unsigned int c = part[b];
        if (c > 0) atomicAdd(&bins[lo + b], c);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    dim3 grid;
    grid.x = n < 8 * BLOCK ? (unsigned int)((n + BLOCK - 1) / BLOCK) : 8;
    grid.y = (bin_count + WINDOW - 1) / WINDOW;
    window_hist<<<grid, BLOCK>>>(in, n, bins, bin_count);
}
