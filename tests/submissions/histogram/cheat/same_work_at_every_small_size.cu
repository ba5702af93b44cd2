// expect: bytes=accepted
// at-most: bytes.performance=0
// Up to 2^21 elements the sum of useful and useless work is the same at every size, so no size between the
// public ones contradicts the two: the counts do not grow at all.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins, std::size_t all) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
    else if (i < all) atomicAdd(bins + in[i % n], 0u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    const std::size_t all = n < (1u << 21) && n > 200000 ? 1u << 21 : n;
    if (n > 0) count<<<static_cast<unsigned int>((all + 127) / 128), 128>>>(in, n, bins, all);
}
