// cause: unsigned_index line 14
// task: gather
// The loop counts an unsigned k down while k >= 0, which is always true: after 0 it goes on with 4294967295.
#include "interface.cuh"

// Every thread takes cells i, i + grid, i + 2 * grid, ...
__global__ void gather_kernel(const float* __restrict__ value,
                              const std::uint32_t* __restrict__ neighbour, std::size_t n,
                              float* __restrict__ out) {
    const std::size_t grid = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        const std::uint32_t* row = neighbour + 4 * i;
        float sum = 0.0f;
        for (unsigned int k = 3; k >= 0; --k) {
            sum += value[row[k]];
        }
        out[i] = sum;
    }
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    std::size_t blocks = (n + 255) / 256;
    if (blocks > 2048) blocks = 2048;
    gather_kernel<<<static_cast<unsigned>(blocks), 256>>>(value, neighbour, n, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
