// expect: bytes=wrong_answer bins=wrong_answer
// The number of blocks is rounded down, so the elements of the last, partial block are not
// counted.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, unsigned int* bins) {
    atomicAdd(&bins[in[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x]], 1u);
}

template <class T>
void run(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    const unsigned int blocks = static_cast<unsigned int>(n / 256);
    if (blocks > 0) count<<<blocks, 256>>>(in, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    run(in, n, bins, 256);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    run(in, n, bins, size);
}
