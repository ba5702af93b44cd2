// expect: bytes=wrong_answer
// at-most: bytes=3 bytes.performance=0 bytes.technique=0
// Control: simply wrong, without any attack. The last byte is missing.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    if (n > 0) --n;
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
