// cause: transposed line 15
// task: gather
// The index array is read as 4 rows of n instead of n rows of 4, so for every n > 1 the sums take other cells' neighbours.
#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

// One thread per cell. The loop goes over the four faces of the tetrahedron.
__global__ void gatherKernel(const float* value, const std::uint32_t* neighbour, std::size_t n,
                             float* out) {
    for (std::size_t cell = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; cell < n;
         cell += (std::size_t)blockDim.x * gridDim.x) {
        float acc = 0.0f;
        for (int face = 0; face < 4; ++face) {
            std::uint32_t j = neighbour[face * n + cell];
            acc += value[j];
        }
        out[cell] = acc;
    }
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    std::size_t blocks = (n + 191) / 192;
    if (blocks > 2048) blocks = 2048;
    gatherKernel<<<(unsigned)blocks, 192>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
