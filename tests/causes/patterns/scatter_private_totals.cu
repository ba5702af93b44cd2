// cause: accumulator_too_narrow line 11
// task: scatter
// The private totals of a block have 32 bits, so they wrap around when a block's bookings for one account exceed 2^31.
#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}
void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

namespace {

using Partial = int;
constexpr std::size_t most_private = 4096;
constexpr int threads = 512;

__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, std::size_t m, unsigned long long* total) {
    extern __shared__ Partial mine[];
    for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();

    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&mine[target[i]], static_cast<Partial>(value[i]));
    __syncthreads();

    for (std::size_t t = threadIdx.x; t < m; t += blockDim.x)
        if (mine[t] != 0)
            atomicAdd(&total[t], static_cast<unsigned long long>(mine[t]));
}

__global__ void scatter_direct(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, unsigned long long* total) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&total[target[i]],
                  static_cast<unsigned long long>(static_cast<long long>(value[i])));
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    auto* sums = reinterpret_cast<unsigned long long*>(total);
    cudaMemsetAsync(sums, 0, m * sizeof *sums);
    if (n == 0) return;
    const unsigned blocks = n < 132 * threads ? unsigned((n + threads - 1) / threads) : 132;
    if (m <= most_private)
        scatter_private<<<blocks, threads, m * sizeof(Partial)>>>(value, target, n, m, sums);
    else
        scatter_direct<<<blocks, threads>>>(value, target, n, sums);
}
