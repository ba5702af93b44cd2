// cause: transposed line 11
// task: gather
// The table of neighbours is read as four columns of n entries instead of n rows of four; wrong for n above 1.
#include "interface.cuh"

template <int K>
struct Row {
    const std::uint32_t* table;
    std::size_t rows;
    __device__ std::uint32_t operator()(std::size_t i, int k) const {
        return table[k * rows + i];
    }
};

template <int K>
__global__ void gather(const float* value, Row<K> neighbour, float* out) {
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= neighbour.rows) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < K; k++) sum += __ldg(value + neighbour(i, k));
    out[i] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<4><<<(n + 511) / 512, 512>>>(value, Row<4>{neighbour, n}, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
