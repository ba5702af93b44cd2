// expect: map=accepted gather=accepted scatter=accepted
// The CPU's loop on one thread of the GPU: right, and no parallelism at all.
#include "interface.cuh"

__global__ void map_serial(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                           float* y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

__global__ void gather_serial(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out) {
    for (std::size_t i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
        out[i] = sum;
    }
}

__global__ void scatter_serial(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::size_t m, std::int64_t* total) {
    for (std::size_t t = 0; t < m; ++t) total[t] = 0;
    for (std::size_t i = 0; i < n; ++i) total[target[i]] += value[i];
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    map_serial<<<1, 1>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_serial<<<1, 1>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    scatter_serial<<<1, 1>>>(value, target, n, m, total);
}
