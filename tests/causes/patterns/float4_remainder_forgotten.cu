// cause: tail_ignored line 17
// task: map
// Only whole groups of four floats are mapped: the last n % 4 elements of y stay unwritten when n is not a multiple of 4.
#include "interface.cuh"

__device__ float poly(float x, float4 c) { return fmaf(x, fmaf(x, fmaf(x, c.w, c.z), c.y), c.x); }

// 16 bytes per load and per store
__global__ void map4(const float* x, std::size_t n, float4 c, float* y) {
    const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    const float4* in = reinterpret_cast<const float4*>(x);
    float4* out = reinterpret_cast<float4*>(y);
    for (std::size_t q = first; q < n / 4; q += step) {
        const float4 v = in[q];
        out[q] = make_float4(poly(v.x, c), poly(v.y, c), poly(v.z, c), poly(v.w, c));
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    map4<<<1056, 256>>>(x, n, make_float4(c0, c1, c2, c3), y);
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
