// expect: bins=uninitialised_read
// report: uninitialised_read 15, uninitialised_read 20
// Each thread clears one private bin; where there are more bins than threads, the rest starts
// with garbage. With 256 bins it looks right.
#include "interface.cuh"

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins,
                      unsigned int size) {
    __shared__ unsigned int mine[4096];
    if (threadIdx.x < size) mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        if (size <= 4096)
            atomicAdd(&mine[in[i]], 1u);
        else
            atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (size > 4096) return;
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<32, 256>>>(in, n, bins, size);
}
