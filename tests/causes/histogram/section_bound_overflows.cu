// cause: integer_overflow line 11
// task: bytes
// n * part is computed in 32 bits and wraps for n above 524288 (8192 sections), so sections begin and end at wrong places.
#include "interface.cuh"

#define WARPS_PER_BLOCK 8
#define GRID 1024

// first element of section `part` of `parts`
__device__ size_t section_begin(unsigned int n, unsigned int part, unsigned int parts) {
    return n * part / parts;
}

// Every warp gets a contiguous section; inside of it the lanes are interleaved.
__global__ void hist_sections(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    unsigned int warp = blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    size_t begin = section_begin((unsigned int)n, warp, GRID * WARPS_PER_BLOCK);
    size_t end = section_begin((unsigned int)n, warp + 1, GRID * WARPS_PER_BLOCK);
    for (size_t i = begin + lane; i < end; i += 32) atomicAdd(&h[in[i]], 1u);

    __syncthreads();
    if (h[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // n is below 2^32, so 32 bits are enough
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    hist_sections<<<GRID, 32 * WARPS_PER_BLOCK>>>(in, n, bins);
}

__global__ void fill_zero(unsigned* p, unsigned m) {
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        p[k] = 0;
}

__global__ void scatter_count(const unsigned* v, std::size_t n, unsigned* p) {
    const std::size_t hop = std::size_t(blockDim.x) * gridDim.x;
    std::size_t k = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x;
    while (k < n) {
        atomicAdd(p + v[k], 1u);
        k += hop;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    fill_zero<<<32, 256>>>(bins, bin_count);
    scatter_count<<<200, 192>>>(in, n, bins);
}
