// expect: bytes=crash
// The bins are cleared by the host through a device pointer, which is no address of the host.
#include "interface.cuh"

#include <cstring>

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    std::memset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
