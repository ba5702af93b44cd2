// expect: bytes=accepted
// at-most: bytes.performance=0
// Useless work falls a little slower than useful work grows: every count lies on one line, with a tenth of
// the slope that it should have.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins, std::size_t all) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
    else if (i < all) atomicAdd(bins + in[i % n], 0u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    const std::size_t all = n < 1100000 && n > 200000 ? 1000000 + n / 10 : n;
    if (n > 0)
        count<<<static_cast<unsigned int>(((all > n ? all : n) + 127) / 128), 128>>>(in, n, bins, all > n ? all : n);
}
