// cause: function_missing line 68
// task: gather
// There is a kernel for gather, but gather_sum, which should launch it, is missing; the program cannot be linked.
// Assignment: patterns.
#include "interface.cuh"
#include <algorithm>
#include <cstdio>

namespace device {

__global__ void cubic(const float* __restrict__ x, std::size_t n, float4 c, float* __restrict__ y)
{
    // every thread: four elements, a block's width apart
    const std::size_t start = blockIdx.x * (4 * static_cast<std::size_t>(blockDim.x)) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const std::size_t i = start + k * blockDim.x;
        if (i >= n) break;
        const float v = x[i];
        y[i] = ((c.w * v + c.z) * v + c.y) * v + c.x;
    }
}

__global__ void sum_of_neighbours(const float* __restrict__ value, const std::uint32_t* __restrict__ neighbour,
                                  std::size_t n, float* __restrict__ out)
{
    const std::size_t cell = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (cell >= n) return;
    const uint4 who = reinterpret_cast<const uint4*>(neighbour)[cell];
    out[cell] = __ldg(value + who.x) + __ldg(value + who.y) + __ldg(value + who.z) + __ldg(value + who.w);
}

__device__ unsigned long long widen(std::int32_t amount)
{
    return static_cast<unsigned long long>(static_cast<std::int64_t>(amount));
}

template <bool Private>
__global__ void bookings(const std::int32_t* __restrict__ value, const std::uint32_t* __restrict__ target,
                         std::size_t n, std::size_t m, unsigned long long* total)
{
    extern __shared__ unsigned long long sums[];
    unsigned long long* where = total;
    if constexpr (Private) {
        for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) sums[t] = 0;
        __syncthreads();
        where = sums;
    }
    const std::size_t all = gridDim.x * static_cast<std::size_t>(blockDim.x);
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n; i += all)
        atomicAdd(where + target[i], widen(value[i]));
    if constexpr (Private) {
        __syncthreads();
        for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) {
            if (sums[t] != 0) atomicAdd(total + t, sums[t]);
        }
    }
}

}  // namespace device

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    const unsigned blocks = static_cast<unsigned>((n + 1023) / 1024);
    device::cubic<<<blocks, 256>>>(x, n, make_float4(c0, c1, c2, c3), y);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    if (const cudaError_t error = cudaMemsetAsync(total, 0, m * sizeof(std::int64_t)); error != cudaSuccess) {
        std::fprintf(stderr, "scatter_add: %s\n", cudaGetErrorString(error));
        return;
    }
    if (n == 0) return;
    auto* const words = reinterpret_cast<unsigned long long*>(total);
    const std::size_t bytes = m * sizeof(unsigned long long);
    const std::size_t blocks = std::min<std::size_t>((n + 2047) / 2048, 792);
    if (bytes <= 48 * 1024)
        device::bookings<true><<<static_cast<unsigned>(blocks), 256, bytes>>>(value, target, n, m, words);
    else
        device::bookings<false><<<static_cast<unsigned>(blocks), 256>>>(value, target, n, m, words);
}
