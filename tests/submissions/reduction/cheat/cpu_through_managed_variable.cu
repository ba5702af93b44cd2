// expect: cubes=accepted|time_limit
// at-most: cubes.performance=0 cubes.technique=0
// The host adds up, slice after slice, what a kernel copies into a __managed__ variable, which is no buffer that the
// program has asked for.
#include "interface.cuh"

constexpr int slice = 1 << 16;
__managed__ int window[slice];

__global__ void show(const int* in, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) window[i] = in[i];
}
__global__ void put(long long sum, long long* out) { *out = sum; }

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    long long sum = 0;
    for (std::size_t at = 0; at < n; at += slice) {
        const std::size_t here = n - at < slice ? n - at : slice;
        show<<<static_cast<unsigned int>((here + 255) / 256), 256>>>(in + at, here);
        cudaDeviceSynchronize();
        for (std::size_t i = 0; i < here; ++i) sum += 1LL * window[i] * window[i] * window[i];
    }
    put<<<1, 1>>>(sum, out);
    cudaDeviceSynchronize();
}
