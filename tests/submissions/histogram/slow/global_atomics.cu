// expect: bytes=accepted bins=accepted
// One thread per element, one atomic in global memory each: all threads of the grid meet in the
// same few bins, and on constant data in one.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

template <class T>
void run(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, sizeof(unsigned int) * size);
    if (n > 0) count<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, n, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    run(in, n, bins, 256);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    run(in, n, bins, size);
}
