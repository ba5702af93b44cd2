// cause: wrong_shuffle_mask line 10
// task: gather
// the mask names only the first four lanes of the warp, so the other seven groups of four shuffle without being in it
#include "interface.cuh"

// Four lanes share a cell: lane k fetches neighbour k, the first one adds up.
template <typename T>
__device__ T quad_sum(T v)
{
    const unsigned quad = 0xfu;
    v += __shfl_down_sync(quad, v, 2, 4);
    v += __shfl_down_sync(quad, v, 1, 4);
    return v;
}

__global__ void gather_quads(const float* value, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    const std::size_t words = n * 4;
    const std::size_t stride = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t w = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x; w < words; w += stride) {
        const float sum = quad_sum(value[neighbour[w]]);
        if (w % 4 == 0)
            out[w / 4] = sum;
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    static_cast<void>(m);
    std::size_t blocks = (4 * n + 255) / 256;
    if (blocks > 8192)
        blocks = 8192;
    gather_quads<<<static_cast<unsigned>(blocks), 256>>>(value, neighbour, n, out);
}
