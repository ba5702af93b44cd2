// expect: bytes=out_of_bounds
// expect-gpu: bytes=out_of_bounds|wrong_answer|tampering
// report: out_of_bounds 10
// Bytes read as char, which is signed here: values above 127 become negative indices, in front
// of the bins.
#include "interface.cuh"

__global__ void count(const char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 0) return;
    const auto* chars = reinterpret_cast<const char*>(in);
    count<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(chars, n, bins);
}
