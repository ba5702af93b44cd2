// expect: bins=launch_error
// All bins in dynamic shared memory, however many: beyond 48 KB the launch fails, and nobody
// looks at the error.
#include "interface.cuh"

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins,
                      unsigned int size) {
    extern __shared__ unsigned int mine[];
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<16, 256, size * sizeof *bins>>>(in, n, bins, size);
}
