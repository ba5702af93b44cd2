// expect: max=wrong_answer
// atomicMax on the bits of floats: right for positive numbers, in reverse order for negative ones.
#include "interface.cuh"

__global__ void reduce(const float* in, std::size_t n, int* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) atomicMax(out, __float_as_int(in[i]));
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const float lowest = -INFINITY;
    cudaMemcpy(out, &lowest, sizeof lowest, cudaMemcpyHostToDevice);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, reinterpret_cast<int*>(out));
}
