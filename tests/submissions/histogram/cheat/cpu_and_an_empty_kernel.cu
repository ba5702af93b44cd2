// expect: bytes=accepted
// at-most: bytes.performance=0 bytes.technique=0
// The CPU counts and an empty kernel keeps every limit of technique. Kernels copy the input to managed
// memory, which host code reads without a copy.
#include <cstring>

#include "interface.cuh"

__global__ void nothing() {}
__global__ void copy(const unsigned char* in, std::size_t n, unsigned char* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    unsigned int counts[256] = {};
    if (n > 0) {
        unsigned char* seen = nullptr;
        cudaMallocManaged(&seen, n);
        copy<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, n, seen);
        cudaDeviceSynchronize();
        for (std::size_t i = 0; i < n; ++i) ++counts[seen[i]];
        cudaFree(seen);
    }
    nothing<<<1, 32>>>();
    cudaMemset(bins, 0, sizeof counts);
    cudaMemcpy(bins, counts, sizeof counts, cudaMemcpyHostToDevice);
}
