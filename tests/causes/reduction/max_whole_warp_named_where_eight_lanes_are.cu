// cause: wrong_shuffle_mask line 50
// task: max
// only the first 8 lanes come to the second round of shuffles, but its mask names all 32; undefined in every call
#include "interface.cuh"

#include <cmath>

// *out = the sum of n doubles
void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

// *out = the sum of the cubes of n ints, in 64 bits
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// *out = the sum of n ints, in 64 bits, by kernels that launch the next ones
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

constexpr int WARP_SIZE = 32;
constexpr int NUM_WARPS = 8;
constexpr int NUM_THREADS = NUM_WARPS * WARP_SIZE;
constexpr int MAX_GRID = 1056;
constexpr unsigned FULL_MASK = 0xffffffffu;

/// Maximum over the first `width` lanes; lane 0 has it.
template <int width>
__device__ float shuffle_max(float v, unsigned mask) {
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2)
        v = fmaxf(v, __shfl_down_sync(mask, v, delta, width));
    return v;
}

/// Maximum over the block; thread 0 has it.
__device__ float block_max(float v) {
    __shared__ float warp_result[NUM_WARPS];
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;

    v = shuffle_max<WARP_SIZE>(v, FULL_MASK);
    if (lane == 0) warp_result[warp] = v;
    __syncthreads();

    if (threadIdx.x < NUM_WARPS) {  // one lane for each warp
        v = warp_result[lane];
        v = shuffle_max<NUM_WARPS>(v, FULL_MASK);
    }
    return v;
}

__global__ void max_kernel(const float* in, std::size_t n, float* result) {
    float v = -INFINITY;  // the largest of no numbers

    // four at a time, in is aligned to 16 bytes
    const float4* in4 = reinterpret_cast<const float4*>(in);
    const std::size_t n4 = n / 4;
    const std::size_t id = blockIdx.x * std::size_t(NUM_THREADS) + threadIdx.x;
    const std::size_t total = gridDim.x * std::size_t(NUM_THREADS);
    for (std::size_t k = id; k < n4; k += total) {
        const float4 q = in4[k];
        v = fmaxf(v, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
    }
    if (4 * n4 + id < n) v = fmaxf(v, in[4 * n4 + id]);

    v = block_max(v);
    if (threadIdx.x == 0) result[blockIdx.x] = v;
}

void reduce_max(const float* in, std::size_t n, float* out) {
    static float* of_block = nullptr;
    if (of_block == nullptr) {
        // 16-byte aligned as everything from cudaMalloc, so the same kernel can read it
        cudaMalloc(&of_block, MAX_GRID * sizeof(float));
    }

    const std::size_t wanted = n / (4 * NUM_THREADS) + 1;
    const int grid = wanted < MAX_GRID ? static_cast<int>(wanted) : MAX_GRID;
    max_kernel<<<grid, NUM_THREADS>>>(in, n, of_block);
    max_kernel<<<1, NUM_THREADS>>>(of_block, grid, out);
}
