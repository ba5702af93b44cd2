// cause: accumulator_too_narrow line 8
// task: scatter
// The private totals of a block have 32 bits: they overflow when the amounts of one block for one target add up to 2^31 or more.
// Patterns, second exercise sheet.
#include "interface.cuh"

// What a block adds up before it goes to global memory.
using partial = int;
constexpr int slots = 1024;

__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, std::size_t m, std::int64_t* total) {
    __shared__ partial sums[slots];
    for (int t = threadIdx.x; t < slots; t += blockDim.x) sums[t] = 0;
    __syncthreads();
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        atomicAdd(&sums[target[i]], static_cast<partial>(value[i]));
    }
    __syncthreads();
    for (int t = threadIdx.x; t < m; t += blockDim.x) {
        const long long s = sums[t];
        atomicAdd(reinterpret_cast<unsigned long long*>(total) + t,
                  static_cast<unsigned long long>(s));
    }
}

__global__ void scatter_direct(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::int64_t* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long v = value[i];
    atomicAdd(reinterpret_cast<unsigned long long*>(total) + target[i],
              static_cast<unsigned long long>(v));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    if (m <= slots) {
        scatter_private<<<128, 256>>>(value, target, n, m, total);
    } else {
        scatter_direct<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, total);
    }
}

// y = c0 + c1 x + c2 x^2 + c3 x^3, Horner
__global__ void cubic_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                             float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = ((c3 * v + c2) * v + c1) * v + c0;
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    cubic_kernel<<<blocks, 256>>>(x, n, c0, c1, c2, c3, y);
}

// one thread per cell
__global__ void gather_kernel(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
    out[i] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}
