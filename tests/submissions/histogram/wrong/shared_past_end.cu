// expect: bins=out_of_bounds
// expect-gpu: skip
// report: out_of_bounds 15
// 256 private bins, whatever the number of bins: larger values are counted beyond the end of the
// block's shared memory.
#include "interface.cuh"

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins,
                      unsigned int size) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    if (threadIdx.x < size) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<16, 256>>>(in, n, bins, size);
}
