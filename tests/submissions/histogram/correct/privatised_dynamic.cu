// expect: bytes=accepted bins=accepted
// Privatisation in dynamic shared memory: clear the block's bins, count there, add them to the
// global bins. Histograms that do not fit are counted in global memory.
#include "interface.cuh"

template <class T>
__global__ void count_private(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    extern __shared__ unsigned int mine[];
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x)
        if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}

__global__ void count_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count_private<<<30, 256, 256 * sizeof *bins>>>(in, n, bins, 256u);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    const std::size_t bytes = size * sizeof *bins;
    cudaMemset(bins, 0, bytes);
    if (bytes <= 48 * 1024)
        count_private<<<30, 256, bytes>>>(in, n, bins, size);
    else
        count_global<<<128, 256>>>(in, n, bins);
}
