// The naive histogram: one thread per element, one atomic in global memory each. Right, and slow
// where many threads meet in few bins.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

template <class T>
void histogram(const T* in, std::size_t n, unsigned int* bins, std::size_t bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;  // a grid of no blocks is an error
    const unsigned int threads = 256;
    count<<<static_cast<unsigned int>((n + threads - 1) / threads), threads>>>(in, n, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    histogram(in, n, bins, 256);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    histogram(in, n, bins, bin_count);
}
