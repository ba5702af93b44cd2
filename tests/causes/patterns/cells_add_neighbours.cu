// cause: uninitialised_output line 17 or 15
// task: gather
// out[i] is added to without having been set to zero, so what was in the output before is part of the sum.
#include "interface.cuh"

// one thread for each cell of the mesh
__global__ void gatherKernel(const float* value, const uint32_t* neighbour, size_t n, float* out) {
    size_t cell = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    // more threads than cells
    if (cell >= n)
        return;

    // add up the values of the four neighbours
    for (int k = 0; k < 4; k++) {
        uint32_t who = neighbour[cell * 4 + k];
        out[cell] += value[who];
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    gatherKernel<<<blocks, threads>>>(value, neighbour, n, out);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
