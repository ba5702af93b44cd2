// cause: compare_as_value line 32
// task: add_double
// The loop asks whether two doubles are equal instead of their bits: once a target holds a NaN, it never ends.
// Exercise sheet 6 - atomics
#include "interface.cuh"

namespace sheet6 {

constexpr int BLOCK = 128;

// A word of memory that is seen as a double by us and as 64 bits by the hardware.
class Cell {
    unsigned long long* bits_;

public:
    __device__ explicit Cell(double* where)
        : bits_(reinterpret_cast<unsigned long long*>(where)) {}

    __device__ double peek() const {
        return __longlong_as_double(*reinterpret_cast<volatile long long*>(bits_));
    }

    // One attempt: puts `wanted` there if `expected` is there, returns what was there.
    __device__ double try_swap(double expected, double wanted) const {
        const unsigned long long e = __double_as_longlong(expected);
        const unsigned long long w = __double_as_longlong(wanted);
        return __longlong_as_double(atomicCAS(bits_, e, w));
    }
};

__device__ bool same(double a, double b) {
    return a == b;
}

// Adds, and gives back what was there before.
__device__ double atomic_add_double(double* address, double value) {
    const Cell cell(address);
    double old = cell.peek();
    for (;;) {
        const double found = cell.try_swap(old, old + value);
        if (same(found, old)) return old;
        old = found;  // somebody was faster, try once more with the fresh value
    }
}

__global__ void clear(double* totals, std::size_t m) {
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += stride) totals[k] = 0.0;
}

__global__ void add_all(const double* __restrict__ values,
                        const std::uint32_t* __restrict__ targets, std::size_t n, double* totals,
                        double* before) {
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride)
        before[k] = atomic_add_double(&totals[targets[k]], values[k]);
}

unsigned grid_for(std::size_t count) {
    const std::size_t blocks = (count + BLOCK - 1) / BLOCK;
    return unsigned(blocks > 2048 ? 2048 : blocks);
}

}  // namespace sheet6

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    using namespace sheet6;
    clear<<<grid_for(m), BLOCK>>>(totals, m);
    if (n != 0) add_all<<<grid_for(n), BLOCK>>>(values, targets, n, totals, before);
}

// ---- not done yet ----
void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
