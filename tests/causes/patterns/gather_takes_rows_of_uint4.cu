// cause: wrong_signature line 44
// task: gather
// The function is defined with const uint4* where const std::uint32_t* is declared, so it is another overload and nobody calls it.

#include "interface.cuh"

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

// ---- gather ------------------------------------------------------------------------------
//
// One thread per cell. A row of the index array has four entries of 4 bytes each, that is just
// one uint4: the indices of a cell come with a single 16-byte load, and neighbouring threads
// read neighbouring rows.

namespace {

constexpr unsigned kBlock = 256;

__device__ float pick(const float* value, unsigned index) {
    return __ldg(value + index);  // values are only read: the read-only path may keep them
}

__global__ void gather_kernel(const float* value, const uint4* rows, std::size_t cells, float* out) {
    const std::size_t cell = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (cell >= cells) return;

    const uint4 row = rows[cell];
    const float a = pick(value, row.x);
    const float b = pick(value, row.y);
    const float c = pick(value, row.z);
    const float d = pick(value, row.w);
    out[cell] = (a + b) + (c + d);
}

unsigned blocks_for(std::size_t items) {
    return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

}  // namespace

void gather_sum(const float* value, std::size_t m, const uint4* neighbour, std::size_t n,
                float* out) {
    (void)m;  // every index is below m, nothing to test
    const uint4* rows = neighbour;
    gather_kernel<<<blocks_for(n), kBlock>>>(value, rows, n, out);
}

// ---- scatter: next week -------------------------------------------------------------------

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
