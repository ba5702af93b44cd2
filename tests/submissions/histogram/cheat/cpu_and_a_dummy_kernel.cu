// expect: bytes=accepted
// at-most: bytes.performance=0 bytes.technique=0
// The CPU counts what it copies; a kernel reads all of the input and writes zeros over the bins, as if it had
// done something.
#include <vector>

#include "interface.cuh"

__global__ void pretend(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned int sum = i < n ? in[i] : 0;
    if (i < 256) bins[i] = sum & 0x100;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    std::vector<unsigned char> host(n);
    unsigned int counts[256] = {};
    pretend<<<static_cast<unsigned int>(n / 256 + 1), 256>>>(in, n, bins);
    cudaMemcpy(host.data(), in, n, cudaMemcpyDeviceToHost);
    for (const unsigned char v : host) ++counts[v];
    cudaMemcpy(bins, counts, sizeof counts, cudaMemcpyHostToDevice);
}
