// cause: converted_not_reinterpreted line 10
// task: add_double
// the bit pattern is converted to a double as if it were a whole number instead of being reinterpreted; shows when a target gets a second value
#include "interface.cuh"

using u64 = unsigned long long int;

namespace convert {
__device__ inline u64 to_bits(double x) { return __double_as_longlong(x); }
__device__ inline double from_bits(u64 b) { return static_cast<double>(b); }
}

// applies f to the word until nobody has interfered; returns what was there
template <typename F>
__device__ double update(double* where, F f) {
    u64* w = (u64*)where;
    u64 assumed, old = 0;
    do {
        assumed = old;
        old = atomicCAS(w, assumed, convert::to_bits(f(convert::from_bits(assumed))));
    } while (old != assumed);
    return convert::from_bits(old);
}

__global__ void zero(double* totals, size_t m) {
    size_t j = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (j < m) totals[j] = 0.0;
}

__global__ void scatter(const double* v, const std::uint32_t* t, size_t n, double* totals, double* before) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        const double x = v[i];
        before[i] = update(&totals[t[i]], [x](double old) { return old + x; });
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before) {
    zero<<<(m + 255) / 256, 256>>>(totals, m);
    scatter<<<132, 256>>>(values, targets, n, totals, before);
}
