// cause: wrong_element line 49
// task: add_double
// the lanes with one target take the old total from lane 0 instead of from their leader; shows when a warp has more than one target
#include "interface.cuh"
#include <cuda_runtime.h>

namespace {

using bits_t = unsigned long long;

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<bits_t*>(address);
    bits_t old = atomicAdd(word, bits_t{0});
    for (;;) {
        const bits_t next = __double_as_longlong(__longlong_as_double(old) + value);
        const bits_t seen = atomicCAS(word, old, next);
        if (seen == old) return __longlong_as_double(old);
        old = seen;
    }
}

template <unsigned Threads>
__global__ void __launch_bounds__(Threads)
add_grouped(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, double* before) {
    __shared__ double mine[Threads];
    __shared__ double base[Threads];

    const std::size_t i = std::size_t{blockIdx.x} * Threads + threadIdx.x;
    const bool active = i < n;
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp0 = threadIdx.x - lane;

    const std::uint32_t target = active ? targets[i] : 0xffffffffu;
    mine[threadIdx.x] = active ? values[i] : 0.0;
    const unsigned peers = __match_any_sync(0xffffffffu, target);
    __syncwarp();

    const unsigned leader = __ffs(peers) - 1;
    double prefix = 0.0, sum = 0.0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
        const unsigned l = __ffs(rest) - 1;
        if (l == lane) prefix = sum;
        sum += mine[warp0 + l];
    }
    base[threadIdx.x] = 0.0;
    if (active && lane == leader) base[threadIdx.x] = atomic_add_double(&totals[target], sum);
    __syncwarp();

    if (active) before[i] = base[warp0] + prefix;
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    constexpr unsigned threads = 64;
    const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
    if (blocks > 0) add_grouped<threads><<<blocks, threads>>>(values, targets, n, totals, before);
}
