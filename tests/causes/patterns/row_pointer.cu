// cause: wrong_element line 17
// task: gather
// The row of cell i begins at neighbour + 4 i, not at neighbour + i; shows for every cell but the first.
#include "interface.cuh"

template <typename T>
__device__ T sum_of_row(const T* value, const std::uint32_t* row) {
    T s = T(0);
    for (int k = 0; k < 4; ++k) s += value[row[k]];
    return s;
}

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    const std::size_t step = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const std::uint32_t* row = neighbour + i;
        out[i] = sum_of_row(value, row);
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const std::size_t needed = (n + 511) / 512;
    const unsigned blocks = needed < 2048 ? unsigned(needed) : 2048u;
    gather<<<blocks, 512>>>(value, neighbour, n, out);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
