// cause: wrong_shuffle_mask line 20
// task: gather
// The mask of the shuffles is shifted by the number of the lane's group and not by its first lane, so that it names other lanes than those that take part.
#include "interface.cuh"

// Four lanes of a warp share a cell: each of them fetches the value of one neighbour, and two
// shuffles add the four up. That way the reads of the index array are coalesced.

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO
}

__global__ void gather4(const float* __restrict__ value, const std::uint32_t* __restrict__ neighbour,
                        std::size_t n, float* __restrict__ out) {
    const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t cell = k / 4;
    if (cell >= n) return;

    const unsigned lane = threadIdx.x % 32;
    const unsigned group = 0xfu << (lane / 4);

    float sum = value[neighbour[k]];
    sum += __shfl_down_sync(group, sum, 2, 4);
    sum += __shfl_down_sync(group, sum, 1, 4);
    if (k % 4 == 0) out[cell] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    constexpr unsigned threads = 128;
    const auto blocks = static_cast<unsigned>((4 * n + threads - 1) / threads);
    gather4<<<blocks, threads>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t, std::int64_t*) {
    // TODO
}
