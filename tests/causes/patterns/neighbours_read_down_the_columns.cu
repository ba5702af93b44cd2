// cause: transposed line 19
// task: gather
// neighbour is read as four rows of n and not as n rows of four; wrong as soon as n is above 1 and the neighbours differ
#include "interface.cuh"

// Gather. A cell owns its output, so no atomics are needed.

const int DEGREE = 4;        // tetrahedra have four faces
const int BLOCK_SIZE = 128;

// View of the index array: which cell is the k-th neighbour of cell i?
class Mesh {
public:
    Mesh(const std::uint32_t* entries, std::size_t cells) : entries_(entries), cells_(cells) {}

    __host__ __device__ std::size_t cells() const { return cells_; }

    __device__ std::uint32_t neighbour(std::size_t i, int k) const {
        return entries_[k * cells_ + i];
    }

private:
    const std::uint32_t* entries_;
    std::size_t cells_;
};

__global__ void gather_kernel(const float* __restrict__ value, Mesh mesh,
                              float* __restrict__ out) {
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;

    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < mesh.cells();
         i += stride) {
        // first all four indices, then all four values: more loads at a time
        std::uint32_t where[DEGREE];
        #pragma unroll
        for (int k = 0; k < DEGREE; ++k) where[k] = mesh.neighbour(i, k);

        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < DEGREE; ++k) sum += __ldg(&value[where[k]]);
        out[i] = sum;
    }
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    const Mesh mesh(neighbour, n);

    std::size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks > 4096) blocks = 4096;     // the kernel loops
    gather_kernel<<<unsigned(blocks), BLOCK_SIZE>>>(value, mesh, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
