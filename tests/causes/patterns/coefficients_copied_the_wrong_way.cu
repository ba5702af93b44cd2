// cause: wrong_copy_direction line 21
// task: map
// The coefficients are copied to constant memory with cudaMemcpyDeviceToHost: the copy is refused, the coefficients stay 0, and so does every y.
#include "interface.cuh"

// The same four numbers for everybody: constant memory.
__constant__ float curve[4];

__global__ void calibrate(const float* x, std::size_t n, float* y) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
        float r = curve[3];
#pragma unroll
        for (int k = 2; k >= 0; --k) r = r * x[i] + curve[k];
        y[i] = r;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float c[4] = {c0, c1, c2, c3};
    cudaMemcpyToSymbol(curve, c, sizeof c, 0, cudaMemcpyDeviceToHost);
    calibrate<<<1320, 256>>>(x, n, y);
}

using u64 = unsigned long long;
constexpr unsigned most = 2048;  // totals that a block keeps for itself

__global__ void push_private(const std::int32_t* v, const std::uint32_t* t, std::size_t n,
                             unsigned m, u64* total) {
    __shared__ u64 mine[most];
    for (unsigned j = threadIdx.x; j < m; j += blockDim.x) mine[j] = 0;
    __syncthreads();
    for (auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x)
        atomicAdd(mine + t[i], u64(v[i]));
    __syncthreads();
    for (unsigned j = threadIdx.x; j < m; j += blockDim.x)
        if (mine[j] != 0) atomicAdd(total + j, mine[j]);
}

__global__ void push(const std::int32_t* v, const std::uint32_t* t, std::size_t n, u64* total) {
    for (auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x)
        atomicAdd(total + t[i], u64(v[i]));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    u64* out = reinterpret_cast<u64*>(total);
    if (m <= most) push_private<<<264, 512>>>(value, target, n, unsigned(m), out);
    else push<<<1024, 256>>>(value, target, n, out);
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
