// cause: missing_warp_sync line 33
// task: gather
// Lanes read what other lanes of their warp put into shared memory, without a __syncwarp between.
#include "interface.cuh"

// Gather: four lanes work on one cell. Each lane fetches one neighbour, so that a warp reads its
// 32 indices in one go; then the four values of a cell are added up by way of shared memory.
// Everything stays within the warp, no __syncthreads() needed.

enum { FACES = 4, WARP = 32, WARPS_PER_BLOCK = 8, BLOCK = WARP * WARPS_PER_BLOCK };
enum { CELLS_PER_WARP = WARP / FACES };

struct WarpBuffer {
    float v[CELLS_PER_WARP][FACES + 1];  // one more, against bank conflicts
};

__global__ void gather_kernel(const float* __restrict__ value,
                              const std::uint32_t* __restrict__ neighbour, std::size_t n,
                              float* __restrict__ out) {
    __shared__ WarpBuffer buffers[WARPS_PER_BLOCK];

    const unsigned lane = threadIdx.x % WARP;
    const unsigned cell = lane / FACES, face = lane % FACES;
    WarpBuffer& mine = buffers[threadIdx.x / WARP];

    const std::size_t warp =
        static_cast<std::size_t>(blockIdx.x) * WARPS_PER_BLOCK + threadIdx.x / WARP;
    const std::size_t first_cell = warp * CELLS_PER_WARP;

    const std::size_t entry = first_cell * FACES + lane;
    float got = 0.0f;
    if (entry < n * FACES) got = value[neighbour[entry]];
    mine.v[cell][face] = got;

    // the first eight lanes finish one cell each, their stores lie side by side
    if (lane < CELLS_PER_WARP && first_cell + lane < n) {
        const float* row = mine.v[lane];
        out[first_cell + lane] = (row[0] + row[1]) + (row[2] + row[3]);
    }
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    const std::size_t cells_per_block = CELLS_PER_WARP * WARPS_PER_BLOCK;
    const unsigned grid = static_cast<unsigned>((n + cells_per_block - 1) / cells_per_block);
    gather_kernel<<<grid, BLOCK>>>(value, neighbour, n, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
