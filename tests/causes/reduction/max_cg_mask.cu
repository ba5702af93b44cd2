// cause: wrong_shuffle_mask line 41
// task: max
// Only the first lanes of warp 0 take part in the second step, but the mask names all 32 of them.
#include "interface.cuh"
#include <cfloat>
#include <cmath>

constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

__device__ unsigned encode(float f)
{
    unsigned b = __float_as_uint(f);
    return (b & 0x80000000u) ? ~b : b | 0x80000000u;
}

__device__ float decode(unsigned u)
{
    return __uint_as_float((u & 0x80000000u) ? u & 0x7fffffffu : ~u);
}

__global__ void init_key(unsigned* key) { *key = encode(-INFINITY); }
__global__ void key_to_float(const unsigned* key, float* out) { *out = decode(*key); }

__global__ void max_key(const float* in, std::size_t n, unsigned* key)
{
    __shared__ unsigned w[WARPS];

    unsigned m = encode(-INFINITY);
    for (std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x; i < n; i += std::size_t(gridDim.x) * BLOCK)
        m = max(m, encode(in[i]));

    for (int d = 16; d >= 1; d /= 2)
        m = max(m, __shfl_down_sync(0xffffffffu, m, d));
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = m;
    __syncthreads();

    if (threadIdx.x < WARPS) {
        m = w[threadIdx.x];
        for (int d = WARPS / 2; d >= 1; d /= 2)
            m = max(m, __shfl_down_sync(0xffffffffu, m, d));
        if (threadIdx.x == 0) atomicMax(key, m);
    }
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    static unsigned* key = nullptr;
    if (key == nullptr) cudaMalloc(&key, sizeof(unsigned));
    init_key<<<1, 1>>>(key);
    if (n > 0) {
        std::size_t blocks = (n + 16 * BLOCK - 1) / (16 * BLOCK);
        max_key<<<(int)(blocks > 2000 ? 2000 : blocks), BLOCK>>>(in, n, key);
    }
    key_to_float<<<1, 1>>>(key, out);
}
