// cause: no_retry line 20
// task: add_double
// A swap that failed is tried once more with the value found, but not again: when two others get in between, the value is never added.
#include "interface.cuh"

using Bits = unsigned long long;

namespace {

__device__ Bits plus(Bits bits, double value) {
    return static_cast<Bits>(__double_as_longlong(__longlong_as_double(static_cast<long long>(bits)) + value));
}

}  // namespace

__device__ double atomic_add_double(double* address, double value) {
    Bits* const word = reinterpret_cast<Bits*>(address);
    Bits seen = atomicOr(word, 0ull);  // a look at the word, past the L1 cache
    Bits found = atomicCAS(word, seen, plus(seen, value));
    if (found != seen) {
        seen = found;
        found = atomicCAS(word, seen, plus(seen, value));
    }
    return __longlong_as_double(static_cast<long long>(seen));
}

namespace {

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t step = std::size_t{blockDim.x} * gridDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
    }
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;
    std::size_t blocks = (n + 127) / 128;
    if (blocks > 512) blocks = 512;
    add_kernel<<<static_cast<unsigned>(blocks), 128>>>(values, targets, n, totals, before);
}
