// cause: grid_too_small line 19
// task: gather
// the grid is capped at 64 blocks although each thread does one cell only: beyond 64 * 256 cells nothing is written
#include "interface.cuh"

__global__ void sum_neighbours(const float *value, const uint4 *rows, size_t n, float *out)
{
    size_t cell = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (cell < n) {
        uint4 r = rows[cell];
        out[cell] = value[r.x] + value[r.y] + value[r.z] + value[r.w];
    }
}

static unsigned blocks_for(size_t n, unsigned threads)
{
    size_t b = (n + threads - 1) / threads;
    return b > 64 ? 64 : b;
}

void gather_sum(const float *value, size_t m, const uint32_t *neighbour, size_t n, float *out)
{
    sum_neighbours<<<blocks_for(n, 256), 256>>>(value, (const uint4 *)neighbour, n, out);
}
