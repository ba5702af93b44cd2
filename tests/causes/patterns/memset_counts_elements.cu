// cause: size_in_elements line 51
// task: scatter
// cudaMemset gets the number of elements instead of bytes: only the first eighth of the totals is cleared, the others start with garbage.
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
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    cubic_kernel<<<blocks, 256>>>(x, n, c0, c1, c2, c3, y);
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

__global__ void add_up(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                       unsigned long long* total) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool in = i < n;
    // a warp whose lanes all have the same target adds up first
    const unsigned t = in ? target[i] : 0;
    long long v = in ? value[i] : 0;
    const unsigned first = __shfl_sync(0xffffffffu, t, 0);
    if (__all_sync(0xffffffffu, !in || t == first)) {
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x % 32 == 0 && in) atomicAdd(&total[t], (unsigned long long)v);
    } else if (in) {
        atomicAdd(&total[t], (unsigned long long)v);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m);
    if (n == 0) return;
    add_up<<<unsigned((n + 127) / 128), 128>>>(value, target, n, (unsigned long long*)total);
}
