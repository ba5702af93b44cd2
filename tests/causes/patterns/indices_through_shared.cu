// cause: missing_warp_sync line 34 or 35
// task: gather
// Each lane reads indices that other lanes of its warp have put into shared memory, without waiting for them.
#include "interface.cuh"

// y = c0 + c1 x + c2 x^2 + c3 x^3
void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO: after the gather
}

#define WARPS 8

/*
 * A warp serves 32 cells, so it needs 4 * 32 indices. If every lane read its own row, the lanes
 * would be 16 bytes apart. Here a warp reads 32 neighbouring words with each of four
 * instructions, puts them into its part of the shared memory, and every lane picks its own row.
 */
__global__ void gather_staged(const float *value, const std::uint32_t *neighbour, std::size_t n,
                              float *out)
{
    __shared__ std::uint32_t stage[WARPS][128];

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    std::uint32_t *mine = stage[warp];

    const std::size_t firstCell = ((std::size_t)blockIdx.x * WARPS + warp) * 32;
    const std::size_t firstWord = 4 * firstCell;

    for (int pass = 0; pass < 4; ++pass) {
        const std::size_t w = firstWord + 32 * pass + lane;
        if (w < 4 * n)
            mine[32 * pass + lane] = neighbour[w];
    }

    const std::size_t cell = firstCell + lane;
    if (cell < n) {
        float sum = 0.0f;
        for (int k = 0; k < 4; ++k)
            sum += value[mine[4 * lane + k]];
        out[cell] = sum;
    }
}

void gather_sum(const float *value, std::size_t /*m*/, const std::uint32_t *neighbour,
                std::size_t n, float *out)
{
    const std::size_t cellsPerBlock = 32 * WARPS;
    gather_staged<<<(unsigned)((n + cellsPerBlock - 1) / cellsPerBlock), 32 * WARPS>>>(
        value, neighbour, n, out);
}

// total[t] = sum of all value[i] with target[i] == t
void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t, std::int64_t*) {
    // TODO
}
