// cause: elements_ignored line 34
// task: gather
// The loop over the neighbours runs over k = 0..2 only: the fourth neighbour of every cell is left out.
#include "interface.cuh"

__device__ float poly(float x, float4 c) { return fmaf(x, fmaf(x, fmaf(x, c.w, c.z), c.y), c.x); }

__global__ void map4(const float* x, std::size_t n, float4 c, float* y) {
    std::size_t q = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (q < n / 4) {
        float4 v = reinterpret_cast<const float4*>(x)[q];
        v.x = poly(v.x, c);
        v.y = poly(v.y, c);
        v.z = poly(v.z, c);
        v.w = poly(v.w, c);
        reinterpret_cast<float4*>(y)[q] = v;
    } else {
        std::size_t i = n / 4 * 4 + (q - n / 4);  // what is left over, one each
        if (i < n) y[i] = poly(x[i], c);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    std::size_t workers = n / 4 + n % 4;
    map4<<<unsigned((workers + 191) / 192), 192>>>(x, n, make_float4(c0, c1, c2, c3), y);
}

__global__ void pull(const float* __restrict__ v, const std::uint32_t* __restrict__ nb, std::size_t n,
                     float* __restrict__ out) {
    for (auto c = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; c < n;
         c += std::size_t{gridDim.x} * blockDim.x) {
        const std::uint32_t* row = nb + 4 * c;
        float s = 0;
        for (int k = 0; k < 3; ++k) s += __ldg(v + row[k]);
        out[c] = s;
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    pull<<<800, 128>>>(value, neighbour, n, out);
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
