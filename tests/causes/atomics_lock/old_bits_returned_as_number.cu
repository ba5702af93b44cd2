// cause: converted_not_reinterpreted line 21
// task: add_double
// The old word is returned as it is: the integer is converted to a double, where its bits are the double.
#include "interface.cuh"

using u64 = unsigned long long;

namespace {

constexpr int kThreads = 256;

__device__ u64 plus(u64 bits, double value) {
    return __double_as_longlong(__longlong_as_double(bits) + value);
}

__device__ double atomic_add_double(double* address, double value) {
    u64* where = reinterpret_cast<u64*>(address);
    u64 old = *reinterpret_cast<volatile u64*>(address);
    for (;;) {
        const u64 found = atomicCAS(where, old, plus(old, value));
        if (found == old) return old;
        old = found;
    }
}

__global__ void zero(double* p, std::size_t m) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        p[k] = 0.0;
}

__global__ void add_all(const double* v, const std::uint32_t* to, std::size_t n, double* sums,
                        double* before) {
    std::size_t k = blockIdx.x * (std::size_t)kThreads + threadIdx.x;
    if (k < n) before[k] = atomic_add_double(&sums[to[k]], v[k]);
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    zero<<<64, kThreads>>>(totals, m);
    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 0)
        add_all<<<static_cast<unsigned>(blocks), kThreads>>>(values, targets, n, totals, before);
}
