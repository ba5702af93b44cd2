// expect: bytes=compile_error bins=compile_error
// A variable that nobody declared.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < size) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    count<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(in, n, bins);
}
