// cause: missing_barrier line 20 or 18
// task: gather
// Indices that other warps load into shared memory are read without waiting for them.
#include "interface.cuh"

#define TB 128

__global__ void gather_staged(const float* value, const uint32_t* neighbour, size_t n, float* out)
{
    __shared__ uint32_t idx[4 * TB];

    size_t first = (size_t)blockIdx.x * TB;
    size_t entries = 4 * n - 4 * first;
    if (entries > 4 * TB) entries = 4 * TB;

    // the block's rows, entry by entry
    for (unsigned e = threadIdx.x; e < entries; e += TB)
        idx[e] = neighbour[4 * first + e];

    size_t i = first + threadIdx.x;
    if (i < n) {
        const uint32_t* row = idx + 4 * threadIdx.x;
        out[i] = (value[row[0]] + value[row[1]]) + (value[row[2]] + value[row[3]]);
    }
}

void gather_sum(const float* value, size_t, const uint32_t* neighbour, size_t n, float* out)
{
    gather_staged<<<(n + TB - 1) / TB, TB>>>(value, neighbour, n, out);
}
