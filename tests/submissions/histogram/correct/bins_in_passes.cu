// expect: bins=accepted
// More bins than shared memory holds: one pass over the input per 8192 bins, each privatised; a
// pass skips the values of the others.
#include "interface.cuh"

constexpr unsigned int kPass = 8192;

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int first,
                      unsigned int size) {
    __shared__ unsigned int mine[kPass];
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        if (in[i] >= first && in[i] - first < size) atomicAdd(&mine[in[i] - first], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x)
        if (mine[b] != 0) atomicAdd(&bins[first + b], mine[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    for (unsigned int first = 0; first < size; first += kPass)
        count<<<8, 512>>>(in, n, bins, first, size - first < kPass ? size - first : kPass);
}
