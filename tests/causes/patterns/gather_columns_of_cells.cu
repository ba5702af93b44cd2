// cause: transposed line 11
// task: gather
// The index array has a row of four per cell; the helper takes it for four rows of n cells.
#include "interface.cuh"
#include <cstdint>

using std::uint32_t;

// the index of neighbour k of a cell
struct Mesh {
    __device__ uint32_t at(std::size_t cell, int k) const { return table[k * cells + cell]; }

    const uint32_t* table;
    std::size_t cells;
};

__global__ void gatherKernel(Mesh mesh, const float* __restrict__ value, float* __restrict__ out) {
    const std::size_t cell = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (cell >= mesh.cells) return;

    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) sum += __ldg(&value[mesh.at(cell, k)]);
    out[cell] = sum;
}

void gather_sum(const float* value, std::size_t, const uint32_t* neighbour, std::size_t n, float* out) {
    Mesh mesh;
    mesh.table = neighbour;
    mesh.cells = n;

    const unsigned perBlock = 192;
    gatherKernel<<<unsigned((n + perBlock - 1) / perBlock), perBlock>>>(mesh, value, out);
}
