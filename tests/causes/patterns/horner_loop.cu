// cause: uninitialised_variable line 10
// task: map
// Horner's loop starts from a variable that has no value, so every result is garbage unless the register holds 0
#include "interface.cuh"

__constant__ float coef[4];

__device__ float evaluate(float t)
{
    float acc;
#pragma unroll
    for (int k = 3; k >= 0; --k)
        acc = acc * t + coef[k];
    return acc;
}

__global__ void mapKernel(const float* in, float* out, std::size_t count)
{
    for (std::size_t idx = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x; idx < count;
         idx += (std::size_t)gridDim.x * blockDim.x)
        out[idx] = evaluate(in[idx]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    const float host[] = {c0, c1, c2, c3};
    cudaMemcpyToSymbol(coef, host, sizeof host);
    int threads = 512;
    std::size_t want = (n + threads - 1) / threads;
    int blocks = want > 1056 ? 1056 : static_cast<int>(want);
    mapKernel<<<blocks, threads>>>(x, y, n);
}
