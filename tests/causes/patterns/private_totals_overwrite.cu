// cause: blocks_not_combined line 36
// task: scatter
// Each block stores its private totals over those of the other blocks instead of adding them: wrong as soon as more than one block has bookings.
#include "interface.cuh"

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

typedef unsigned long long ull;

template <unsigned N>
__global__ void scatter_block(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                              unsigned m, ull* total) {
    __shared__ ull acc[N];
    for (unsigned t = threadIdx.x; t < N; t += blockDim.x) acc[t] = 0;
    __syncthreads();
    // each block takes a contiguous piece
    std::size_t piece = (n + gridDim.x - 1) / gridDim.x;
    std::size_t begin = blockIdx.x * piece;
    std::size_t end = begin + piece < n ? begin + piece : n;
    for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&acc[target[i]], (ull)(long long)value[i]);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) total[t] = acc[t];
}

__global__ void scatter_one(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                            ull* total) {
    std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total[target[i]], (ull)(long long)value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * 8);
    if (n == 0) return;
    ull* t = (ull*)total;
    if (m <= 3000) scatter_block<3000><<<160, 384>>>(value, target, n, (unsigned)m, t);
    else scatter_one<<<(unsigned)((n + 383) / 384), 384>>>(value, target, n, t);
}

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
