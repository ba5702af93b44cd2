// expect: bytes=uninitialised_read bins=uninitialised_read
// report: uninitialised_read 11
// The output is not cleared, so counts are added to what happens to be there, and bins without a
// value are never written.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    count<<<32, 256>>>(in, n, bins);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int) {
    count<<<32, 256>>>(in, n, bins);
}
