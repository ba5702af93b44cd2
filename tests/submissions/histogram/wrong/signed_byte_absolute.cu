// expect: bytes=wrong_answer
// The sign of a char "repaired" by abs: no index is negative any more, but 129 to 255 are
// counted as 127 down to 1.
#include "interface.cuh"

__global__ void count(const signed char* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[abs(in[i])], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(reinterpret_cast<const signed char*>(in), n, bins);
}
