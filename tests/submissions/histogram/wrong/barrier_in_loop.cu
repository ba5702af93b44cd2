// expect: bytes=barrier_divergence
// expect-gpu: skip
// report: barrier_divergence 15, barrier_divergence 18
// A barrier in a loop that some threads leave earlier: they wait at the barrier behind the loop
// for the others, who wait inside it.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&mine[in[i]], 1u);
        __syncthreads();
    }
    atomicAdd(&mine[0], 0u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
