// cause: tail_ignored line 25
// task: map
// The last n % 4 elements are left to a block whose number no block has, so they are never written: shows when n is no multiple of 4.
#include "interface.cuh"

#include <algorithm>
#include <cmath>

__device__ float calibrate(float x, float c0, float c1, float c2, float c3) {
    return c0 + x * (c1 + x * (c2 + x * c3));
}

// Four neighbouring elements for each thread; the last block also does what is left over.
__global__ void map_kernel(const float* x, size_t n, float c0, float c1, float c2, float c3,
                           float* y) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = calibrate(v.x, c0, c1, c2, c3);
        v.y = calibrate(v.y, c0, c1, c2, c3);
        v.z = calibrate(v.z, c0, c1, c2, c3);
        v.w = calibrate(v.w, c0, c1, c2, c3);
        reinterpret_cast<float4*>(y)[i] = v;
    }
    if (blockIdx.x == gridDim.x && threadIdx.x < n % 4) {
        const size_t k = n - 1 - threadIdx.x;
        y[k] = calibrate(x[k], c0, c1, c2, c3);
    }
}

__global__ void gather_kernel(const float* value, const uint4* rows, size_t n, float* out) {
    const size_t cell = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (cell < n) {
        const uint4 row = rows[cell];
        out[cell] = (value[row.x] + value[row.y]) + (value[row.z] + value[row.w]);
    }
}

using Word = unsigned long long;

__device__ Word widen(int amount) { return static_cast<Word>(static_cast<long long>(amount)); }

__global__ void scatter_private(const int* value, const unsigned* target, size_t n, unsigned m,
                                Word* total) {
    extern __shared__ Word mine[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&mine[target[i]], widen(value[i]));
    }
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        if (mine[t] != 0) atomicAdd(&total[t], mine[t]);
    }
}

__global__ void scatter_global(const int* value, const unsigned* target, size_t n, Word* total) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total[target[i]], widen(value[i]));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const size_t quads = n / 4;
    const size_t blocks = std::max<size_t>(1, (quads + 255) / 256);
    map_kernel<<<blocks, 256>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const int threads = 256;
    const unsigned blocks = static_cast<unsigned>(std::ceil(double(n) / threads));
    gather_kernel<<<blocks, threads>>>(value, reinterpret_cast<const uint4*>(neighbour), n, out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    Word* sums = reinterpret_cast<Word*>(total);
    cudaMemset(sums, 0, m * sizeof(Word));
    if (n == 0) return;
    const size_t bytes = m * sizeof(Word);
    if (bytes <= 48 * 1024) {
        const size_t blocks = std::min<size_t>(264, (n + 4095) / 4096);
        scatter_private<<<blocks, 1024, bytes>>>(value, target, n, static_cast<unsigned>(m), sums);
    } else {
        scatter_global<<<(n + 255) / 256, 256>>>(value, target, n, sums);
    }
}
