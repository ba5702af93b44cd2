// expect: max=unwritten_output
// The result is right and stays in the scratch buffer.
#include "interface.cuh"

__global__ void reduce(const float* in, std::size_t n, float* result) {
    float v = -INFINITY;
    for (std::size_t i = threadIdx.x; i < n; i += 32) v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, d));
    if (threadIdx.x == 0) *result = v;
}

void reduce_max(const float* in, std::size_t n, float*) {
    float* result = nullptr;
    cudaMalloc(&result, sizeof *result);
    reduce<<<1, 32>>>(in, n, result);
    cudaFree(result);
}
