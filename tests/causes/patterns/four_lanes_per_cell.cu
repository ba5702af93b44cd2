// cause: wrong_shuffle_mask line 10
// task: gather
// The shuffles name all 32 lanes, but in the last warp those beyond the end of the array do not come there.
#include "interface.cuh"

// Four neighbouring lanes share a cell: so even the indices are read coalesced, and without vectors.
__global__ void gather_kernel(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned lanes = 0xffffffffu;
    if (i < 4 * n) {
        float sum = value[neighbour[i]];
        sum += __shfl_down_sync(lanes, sum, 2, 4);
        sum += __shfl_down_sync(lanes, sum, 1, 4);
        if (i % 4 == 0) {
            out[i / 4] = sum;
        }
    }
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    gather_kernel<<<unsigned((4 * n + 255) / 256), 256>>>(value, neighbour, n, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
