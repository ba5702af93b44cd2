// cause: transposed line 9
// task: gather
// The table is indexed as if it had four rows of n, not n rows of four; right for n = 1 only.
#include "interface.cuh"
#include <cstdint>

__device__ std::uint32_t entry(const std::uint32_t* neighbour, std::size_t n, std::size_t cell, int k)
{
    return neighbour[k * n + cell];
}

__global__ void sum_neighbours(const float* value, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    std::size_t cell = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell < n) {
        float sum = 0.0f;
        for (int k = 0; k < 4; k++)
            sum += value[entry(neighbour, n, cell, k)];
        out[cell] = sum;
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    (void)m;
    dim3 block(256);
    dim3 grid((n + block.x - 1) / block.x);
    sum_neighbours<<<grid, block>>>(value, neighbour, n, out);
}
