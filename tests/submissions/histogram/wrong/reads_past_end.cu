// expect: bytes=out_of_bounds bins=out_of_bounds
// expect-gpu: bytes=wrong_answer|out_of_bounds bins=wrong_answer|out_of_bounds
// report: out_of_bounds 9
// The number of blocks is rounded up and nothing stops the threads beyond the last element.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, unsigned int* bins) {
    atomicAdd(&bins[in[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x]], 1u);
}

template <class T>
void run(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(in, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    run(in, n, bins, 256);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    run(in, n, bins, size);
}
