// cause: missing_atomic line 50
// task: scatter
// The private totals in shared memory are updated with += : additions of threads of one block with the same target are lost.
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

constexpr unsigned room = 4096;

__global__ void bookings(const std::int32_t* amount, const std::uint32_t* account, std::size_t n,
                         unsigned m, long long* total) {
    __shared__ long long mine[room];
    for (unsigned a = threadIdx.x; a < m; a += blockDim.x) mine[a] = 0;
    __syncthreads();
    for (auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x) {
        mine[account[i]] += amount[i];
    }
    __syncthreads();
    for (unsigned a = threadIdx.x; a < m; a += blockDim.x)
        atomicAdd((unsigned long long*)&total[a], (unsigned long long)mine[a]);
}

__global__ void bookings_global(const std::int32_t* amount, const std::uint32_t* account,
                                std::size_t n, long long* total) {
    auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) atomicAdd((unsigned long long*)&total[account[i]], (unsigned long long)amount[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    if (m <= room)
        bookings<<<132, 1024>>>(value, target, n, unsigned(m), (long long*)total);
    else
        bookings_global<<<unsigned((n + 255) / 256), 256>>>(value, target, n, (long long*)total);
}
