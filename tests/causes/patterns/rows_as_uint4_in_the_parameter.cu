// cause: wrong_signature line 33
// task: gather
// gather_sum takes the neighbours as const uint4*, not as const std::uint32_t*: it is another function than the declared one
#include "interface.cuh"

// A table of values in device memory.
template <class T> struct Table {
    const T* entries;
    __device__ T operator[](unsigned i) const { return __ldg(entries + i); }
};

__device__ inline float add_up(const Table<float>& value, const uint4& cell) {
    return (value[cell.x] + value[cell.y]) + (value[cell.z] + value[cell.w]);
}

// Each thread does two cells, a block apart, so that eight values are under way at a time.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    sum_neighbours(Table<float> value, const uint4* rows, std::size_t n, float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * (2 * Threads) + threadIdx.x;
    const std::size_t k = i + Threads;
    if (k < n) {
        const uint4 a = rows[i], b = rows[k];
        const float sum_a = add_up(value, a), sum_b = add_up(value, b);
        out[i] = sum_a;
        out[k] = sum_b;
    } else if (i < n) {
        out[i] = add_up(value, rows[i]);
    }
}

// A row of four indices is 16 bytes: one load.
void gather_sum(const float* value, std::size_t /*m*/, const uint4* neighbour, std::size_t n, float* out) {
    constexpr int threads = 128;
    constexpr int cells = 2 * threads;
    const uint4* rows = reinterpret_cast<const uint4*>(neighbour);
    sum_neighbours<threads><<<static_cast<unsigned>((n + cells - 1) / cells), threads>>>(
        Table<float>{value}, rows, n, out);
}
