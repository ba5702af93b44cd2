// expect: bytes=out_of_bounds
// report: out_of_bounds 10
// Loads of four bytes, their number rounded up: the last one reads beyond the end of the input,
// though its extra bytes are not counted.
#include "interface.cuh"

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const unsigned int word = in[i];
    for (unsigned int k = 0; k < 4 && 4 * i + k < n; ++k) atomicAdd(&bins[word >> 8 * k & 255], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    const auto* words = reinterpret_cast<const unsigned int*>(in);
    if (n > 0) count<<<static_cast<unsigned int>((n + 1023) / 1024), 256>>>(words, n, bins);
}
