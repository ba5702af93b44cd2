// expect: bytes=accepted
// at-most: bytes.performance=0
// The time model counts at two public sizes and continues the line through them. Work without a use at the
// smaller of the two makes the line fall.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

__global__ void waste(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 0u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    const unsigned int blocks = static_cast<unsigned int>((n + 127) / 128);
    if (n > 0) count<<<blocks, 128>>>(in, n, bins);
    if (n == 262144)
        for (int k = 0; k < 6; ++k) waste<<<blocks, 128>>>(in, n, bins);
}
