// cause: wrong_shuffle_mask line 15
// task: gather
// all 32 lanes shuffle in groups of four, but the mask names only lanes 0 to 3
#include "interface.cuh"

// gather: four lanes work together on one cell. Each of them fetches one neighbour, which makes the
// loads of the indices coalesced (lane after lane, one word each), then the four add up.

using index_t = std::uint32_t;

static const unsigned kBlock = 128;

// Adds up v over the four lanes of a group; the first lane of the group has the sum.
__device__ float sum_of_four(float v) {
    const unsigned group = 0xfu;
    v += __shfl_down_sync(group, v, 2, 4);
    v += __shfl_down_sync(group, v, 1, 4);
    return v;
}

__global__ void gather4(const float* value, const index_t* neighbour, std::size_t entries,
                        float* out) {
    const std::size_t e = blockIdx.x * std::size_t(kBlock) + threadIdx.x;

    // lanes behind the end stay on board with a zero
    float v = 0.0f;
    if (e < entries) {
        v = value[neighbour[e]];
    }

    const float sum = sum_of_four(v);

    const bool leader = (threadIdx.x & 3u) == 0;
    if (leader && e < entries) {
        out[e / 4] = sum;
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    (void)m;  // every entry is below m
    const std::size_t entries = 4 * n;
    const std::size_t blocks = (entries + kBlock - 1) / kBlock;
    gather4<<<static_cast<unsigned>(blocks), kBlock>>>(value, neighbour, entries, out);
}

// y[i] = c0 + c1 x[i] + c2 x[i]^2 + c3 x[i]^3
void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

// total[t] = sum of all value[i] with target[i] == t
void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
