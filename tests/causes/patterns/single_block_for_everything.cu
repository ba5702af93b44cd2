// cause: too_slow line 20
// task: map
// One block loops over the whole array and all other multiprocessors stand idle: right, but slower by about two orders of magnitude for large n.
#include "interface.cuh"

__device__ float eval(float x, float c0, float c1, float c2, float c3) {
    return ((c3 * x + c2) * x + c1) * x + c0;
}

// grid-stride loop, so any launch configuration is right
__global__ void map_loop(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                         float* y) {
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        y[i] = eval(x[i], c0, c1, c2, c3);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    map_loop<<<1, 256>>>(x, n, c0, c1, c2, c3, y);
}

__global__ void pull(const float* v, const std::uint32_t* nb, std::size_t n, float* out) {
    for (auto c = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; c < n;
         c += std::size_t{gridDim.x} * blockDim.x) {
        const std::uint32_t* row = nb + 4 * c;
        out[c] = (v[row[0]] + v[row[1]]) + (v[row[2]] + v[row[3]]);
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    pull<<<512, 192>>>(value, neighbour, n, out);
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
