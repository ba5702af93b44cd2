// expect: bytes=accepted bins=accepted
// Sectioned partitioning, as on a CPU: each thread gets one contiguous section. The threads of a
// warp read addresses a section apart, so hardly any access is coalesced.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, std::size_t section, unsigned int* bins) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t begin = thread * section;
    const std::size_t end = begin + section < n ? begin + section : n;
    for (std::size_t i = begin; i < end; ++i) atomicAdd(&bins[in[i]], 1u);
}

template <class T>
void run(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    const unsigned int blocks = 16, threads = 128;
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<blocks, threads>>>(in, n, (n + blocks * threads - 1) / (blocks * threads), bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    run(in, n, bins, 256);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    run(in, n, bins, size);
}
