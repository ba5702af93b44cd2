// expect: bytes=data_race
// report: missing_atomic 15 15
// The blocks add their private bins to the global ones without atomics and overwrite each
// other's sums.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    bins[threadIdx.x] += mine[threadIdx.x];
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
