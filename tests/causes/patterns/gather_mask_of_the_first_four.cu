// cause: wrong_shuffle_mask line 20
// task: gather
// Groups of four lanes add up by shuffles, but the mask names the first four lanes of the warp for all the groups.
#include "interface.cuh"

// Four lanes work on one cell, lane k of the group fetches neighbour k.
// So the index array is read one word per thread, one after the other.
__global__ void gather4(const float *value, const std::uint32_t *neighbour, std::size_t n, float *out)
{
    std::size_t tid = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    std::size_t cell = tid / 4;
    int k = threadIdx.x % 4;

    float v = 0.f;
    if (cell < n)
        v = value[neighbour[tid]];

    // sum over the group
    for (int off = 2; off > 0; off /= 2)
        v += __shfl_down_sync(0xF, v, off, 4);

    if (k == 0 && cell < n)
        out[cell] = v;
}

void gather_sum(const float *value, std::size_t m, const std::uint32_t *neighbour, std::size_t n, float *out)
{
    (void)m;
    std::size_t threads_needed = 4 * n;
    unsigned blocks = (unsigned)((threads_needed + 255) / 256);
    gather4<<<blocks, 256>>>(value, neighbour, n, out);
}
