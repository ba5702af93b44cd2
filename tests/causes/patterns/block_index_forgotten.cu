// cause: wrong_element line 8
// task: map
// The index is threadIdx.x alone, so that every block computes the first 256 elements and the others are never written: shows as soon as n > 256.
// Patterns, second exercise sheet.
#include "interface.cuh"

__global__ void cubic(const float* x, unsigned long n, float c0, float c1, float c2, float c3, float* y) {
    unsigned long i = threadIdx.x;
    if (i < n) {
        float r = c3;
        r = r * x[i] + c2;
        r = r * x[i] + c1;
        r = r * x[i] + c0;
        y[i] = r;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    dim3 block(256);
    dim3 grid((n + block.x - 1) / block.x);
    cubic<<<grid, block>>>(x, n, c0, c1, c2, c3, y);
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
