// expect: bytes=accepted
// at-most: bytes.performance=0
// A kernel that one size launches and the other does not has one count only: the same at every size?
#include "interface.cuh"

template <int which>
__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    const unsigned int blocks = static_cast<unsigned int>((n + 127) / 128);
    if (n == 0) return;
    if (n < 300000) count<0><<<blocks, 128>>>(in, n, bins);
    else count<1><<<blocks, 128>>>(in, n, bins);
}
