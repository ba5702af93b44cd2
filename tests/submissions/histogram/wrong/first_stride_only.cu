// expect: bytes=wrong_answer bins=wrong_answer
// A fixed grid without the loop: what lies beyond the first 8192 elements is not counted.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
