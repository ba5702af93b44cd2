// cause: size_in_elements line 30
// task: bins
// The third launch parameter is the number of counters and not their size in bytes, so the private copy has a quarter of the memory it needs.
#include "interface.cuh"
#include <algorithm>

static __global__ void global_atomics(const unsigned* in, size_t n, unsigned* bins) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(bins + in[i], 1u);
}

static __global__ void shared_atomics(const unsigned* in, size_t n, unsigned* bins, unsigned count) {
    extern __shared__ unsigned copy[];
    for (unsigned b = threadIdx.x; b < count; b += blockDim.x) copy[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(copy + in[i], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < count; b += blockDim.x)
        if (unsigned c = copy[b]) atomicAdd(bins + b, c);
}

void histogram_bins(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof *bins);
    if (!n) return;
    const unsigned grid = std::min<size_t>((n + 1023) / 1024, 264);
    if (bin_count <= 48 * 1024 / sizeof(unsigned))
        shared_atomics<<<grid, 256, bin_count>>>(in, n, bins, bin_count);
    else
        global_atomics<<<grid, 256>>>(in, n, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
