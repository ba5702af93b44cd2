// cause: no_retry line 20
// task: add_double
// A swap that failed is tried again only once. If the second one fails too, the value is lost.
#include "interface.cuh"

namespace {

using Bits = unsigned long long;

// the bits of (double with these bits) + value
__device__ __forceinline__ Bits plus(Bits bits, double value) {
    return static_cast<Bits>(
        __double_as_longlong(__longlong_as_double(static_cast<long long>(bits)) + value));
}

__device__ double atomic_add_double(double* address, double value) {
    Bits* const p = reinterpret_cast<Bits*>(address);
    Bits seen = atomicAdd(p, 0ull);  // a read that no cache can answer
    Bits found = atomicCAS(p, seen, plus(seen, value));
    if (found != seen) {  // somebody was faster
        seen = found;
        found = atomicCAS(p, seen, plus(seen, value));
    }
    return __longlong_as_double(static_cast<long long>(seen));
}

template <int kItems>
__global__ void __launch_bounds__(128) scatter_kernel(const double* __restrict__ values,
                                                      const std::uint32_t* __restrict__ targets,
                                                      std::size_t n, double* totals,
                                                      double* before) {
    const std::size_t first = std::size_t{blockIdx.x} * (128 * kItems) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = first + 128u * k;
        if (i < n) before[i] = atomic_add_double(&totals[targets[i]], values[i]);
    }
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    constexpr int kItems = 4;
    // all bits 0 is the double 0.0
    cudaMemsetAsync(totals, 0, m * sizeof *totals);
    const std::size_t per_block = 128 * kItems;
    if (const auto blocks = (n + per_block - 1) / per_block; blocks > 0)
        scatter_kernel<kItems>
            <<<static_cast<unsigned>(blocks), 128>>>(values, targets, n, totals, before);
}
