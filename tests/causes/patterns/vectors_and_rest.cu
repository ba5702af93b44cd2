// cause: grid_too_small line 32
// task: map
// There is a thread for each started vector, but each of the last one to three elements takes a thread of its own: if the last block is full, the last of them (n = 1023) get none.
#include "interface.cuh"

__device__ __forceinline__ float cubic(float x, float c0, float c1, float c2, float c3) {
    return c0 + x * (c1 + x * (c2 + x * c3));
}

// Threads 0 ... vectors - 1 take four elements, the next few threads one of the rest each.
__global__ void map_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                           float* y) {
    const std::size_t vectors = n / 4;
    const std::size_t rest = n % 4;
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < vectors) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = cubic(v.x, c0, c1, c2, c3);
        v.y = cubic(v.y, c0, c1, c2, c3);
        v.z = cubic(v.z, c0, c1, c2, c3);
        v.w = cubic(v.w, c0, c1, c2, c3);
        reinterpret_cast<float4*>(y)[i] = v;
    } else if (i < vectors + rest) {
        const std::size_t k = 4 * vectors + (i - vectors);
        y[k] = cubic(x[k], c0, c1, c2, c3);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned threads = 256;
    const std::size_t work = (n + 3) / 4;
    map_kernel<<<unsigned((work + threads - 1) / threads), threads>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {}
