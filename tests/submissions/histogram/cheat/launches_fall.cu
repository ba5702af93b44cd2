// expect: bytes=accepted
// at-most: bytes.performance=0
// Empty launches and allocations at the smaller size: their numbers fall as the data grow.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

__global__ void nothing() {}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 262144)
        for (int k = 0; k < 200; ++k) {
            void* waste = nullptr;
            cudaMalloc(&waste, 4096);
            cudaFree(waste);
            nothing<<<1, 32>>>();
        }
    if (n > 0) count<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, n, bins);
}
