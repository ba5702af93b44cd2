// expect: max=accepted
// Floats as integers in the same order: flip all bits of the negative ones and the sign bit of the
// others. Each warp sends one atomicMax.
#include "interface.cuh"

__device__ unsigned ordered(float x) {
    const unsigned bits = __float_as_uint(x);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

__global__ void reduce(const float* in, std::size_t n, unsigned* largest) {
    unsigned value = ordered(-INFINITY);
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        value = max(value, ordered(in[i]));
    }
    for (int d = 16; d > 0; d /= 2) value = max(value, __shfl_down_sync(0xffffffff, value, d));
    if (threadIdx.x % 32 == 0) atomicMax(largest, value);
}

__global__ void decode(unsigned* largest) {
    const unsigned bits = *largest;
    *largest = (bits & 0x80000000u) != 0 ? bits & 0x7fffffffu : ~bits;
}

void reduce_max(const float* in, std::size_t n, float* out) {
    unsigned* word = reinterpret_cast<unsigned*>(out);
    cudaMemset(out, 0, sizeof *out);  // below all that ordered() gives
    reduce<<<48, 256>>>(in, n, word);
    decode<<<1, 1>>>(word);
}
