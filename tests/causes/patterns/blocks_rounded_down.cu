// cause: grid_too_small line 17
// task: map
// The number of blocks is rounded down, so that the last n % 256 elements are never written whenever n is not a multiple of 256 (and n below 256 launches an empty grid).
#include "interface.cuh"

// y = c0 + c1 x + c2 x^2 + c3 x^3, Horner
__global__ void cubic_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                             float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = ((c3 * v + c2) * v + c1) * v + c0;
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>(n / threads);
    cubic_kernel<<<blocks, threads>>>(x, n, c0, c1, c2, c3, y);
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

// two's complement: adding a sign-extended amount to an unsigned word is the signed addition
__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::int64_t* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long amount = value[i];
    atomicAdd(reinterpret_cast<unsigned long long*>(total + target[i]),
              static_cast<unsigned long long>(amount));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    scatter_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, total);
}
