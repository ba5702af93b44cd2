// cause: transposed line 24
// task: gather
// The staged indices lie in rows of four, but are read as if they lay in four rows of one block, so that each cell adds up the neighbours of other cells.
#include "interface.cuh"

static constexpr int kBlock = 192;

__global__ void gatherStaged(const float *value, const uint32_t *neighbour, size_t n, float *out)
{
    __shared__ uint32_t rows[4 * kBlock];

    const size_t cell0 = (size_t)blockIdx.x * kBlock;
    const int cells = n - cell0 < kBlock ? (int)(n - cell0) : kBlock;

    // neighbouring threads read neighbouring indices
    for (int j = threadIdx.x; j < 4 * cells; j += kBlock)
        rows[j] = neighbour[4 * cell0 + j];
    __syncthreads();

    if ((int)threadIdx.x < cells) {
        float sum = 0.f;
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += value[rows[k * cells + threadIdx.x]];
        out[cell0 + threadIdx.x] = sum;
    }
}

void gather_sum(const float *value, size_t, const uint32_t *neighbour, size_t n, float *out)
{
    gatherStaged<<<(n + kBlock - 1) / kBlock, kBlock>>>(value, neighbour, n, out);
}
