// cause: launch_swapped line 19
// task: gather
// The launch gets the threads of a block where the number of blocks belongs, and the reverse; shows for most lengths, as too few threads or as a block of too many.
#include "interface.cuh"

// A row of neighbour is 16 bytes long, so that one load brings all four indices.
__global__ void gather_rows(const float* value, const uint4* rows, std::size_t n, float* out) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const uint4 r = rows[i];
        out[i] = (value[r.x] + value[r.y]) + (value[r.z] + value[r.w]);
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const unsigned threads = 256;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    gather_rows<<<threads, blocks>>>(value, (const uint4*)neighbour, n, out);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
