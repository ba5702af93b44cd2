// expect: bytes=accepted
// at-most: bytes.performance=0 bytes.technique=0
// As cpu_and_an_empty_kernel, through pinned memory that is mapped into the device.
#include "interface.cuh"

__global__ void copy(const unsigned char* in, std::size_t n, unsigned char* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void put(const unsigned int* from, unsigned int* bins) { bins[threadIdx.x] = from[threadIdx.x]; }

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    unsigned int* counts = nullptr;
    cudaHostAlloc(&counts, 256 * sizeof *counts, cudaHostAllocMapped);
    for (int v = 0; v < 256; ++v) counts[v] = 0;
    if (n > 0) {
        unsigned char* seen = nullptr;
        cudaHostAlloc(&seen, n, cudaHostAllocMapped);
        copy<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, n, seen);
        cudaDeviceSynchronize();
        for (std::size_t i = 0; i < n; ++i) ++counts[seen[i]];
        cudaFreeHost(seen);
    }
    put<<<1, 256>>>(counts, bins);
    cudaDeviceSynchronize();
    cudaFreeHost(counts);
}
