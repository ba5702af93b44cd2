// cause: transposed line 9
// task: gather
// the table has a row of four per cell, but it is read as if it had a row per neighbour
#include "interface.cuh"

// ---------------------------------------------------------------- helpers

// element (i, k) of the table of neighbours
#define NEIGHBOUR(i, k) neighbour[(k) * n + (i)]

namespace {

constexpr int threads_per_block = 256;

int grid_for(std::size_t n) {
    const std::size_t wanted = (n + threads_per_block - 1) / threads_per_block;
    const std::size_t most = 132 * 8;  // full device, the rest by looping
    return static_cast<int>(wanted < most ? wanted : most);
}

template <class F>
__device__ void grid_stride(std::size_t n, F body) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        body(i);
    }
}

// ---------------------------------------------------------------- gather

__global__ void gather_kernel(const float* __restrict__ value,
                              const std::uint32_t* __restrict__ neighbour, std::size_t n,
                              float* __restrict__ out) {
    grid_stride(n, [=](std::size_t i) {
        float v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = value[NEIGHBOUR(i, k)];
        out[i] = (v[0] + v[1]) + (v[2] + v[3]);
    });
}

}  // namespace

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    gather_kernel<<<grid_for(n), threads_per_block>>>(value, neighbour, n, out);
}

// ---------------------------------------------------------------- still to do

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {}
