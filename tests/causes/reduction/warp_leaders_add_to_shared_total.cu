// cause: missing_atomic line 116
// task: cubes
// The first lanes of the eight warps add to one shared variable without an atomic operation, so sums of warps get lost.
#include <cmath>
#include <cstddef>

#include "interface.cuh"

static const unsigned ALL = 0xffffffffu;

template <typename T>
static T* reserve(T*& memory, std::size_t& room, std::size_t need) {
    if (need > room) {
        if (memory) cudaFree(memory);
        cudaMalloc(&memory, need * sizeof(T));
        room = need;
    }
    return memory;
}

static int grid_for(std::size_t n, int perBlock, int most) {
    std::size_t b = (n + perBlock - 1) / perBlock;
    if (b < 1) b = 1;
    return b > (std::size_t)most ? most : (int)b;
}

// ---- sum: two launches, the second of one block ----

const int SUM_THREADS = 512;
const int SUM_WARPS = SUM_THREADS / 32;

__device__ double block_add(double v) {
    __shared__ double ofWarp[SUM_WARPS];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    if (lane == 0) ofWarp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < SUM_WARPS ? ofWarp[lane] : 0.0;
        for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    }
    return v;
}

__global__ void sum_kernel(const double* in, std::size_t n, double* out) {
    std::size_t i = blockIdx.x * (std::size_t)SUM_THREADS + threadIdx.x;
    std::size_t step = (std::size_t)gridDim.x * SUM_THREADS;
    double v = 0.0, w = 0.0;
    for (; i + step < n; i += 2 * step) {
        v += in[i];
        w += in[i + step];
    }
    if (i < n) v += in[i];
    v = block_add(v + w);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* parts = nullptr;
    static std::size_t room = 0;
    int blocks = grid_for(n, SUM_THREADS * 2, 1056);
    sum_kernel<<<blocks, SUM_THREADS>>>(in, n, reserve(parts, room, blocks));
    sum_kernel<<<1, SUM_THREADS>>>(parts, blocks, out);
}

// ---- max: one atomic per block, on the bits ----

// Bits of positive floats are in the order of signed integers, those of negative ones in the
// reverse order, and as unsigned integers they are above all positive ones.
__device__ void atomic_max(float* address, float v) {
    if (__float_as_int(v) >= 0)
        atomicMax((int*)address, __float_as_int(v));
    else
        atomicMin((unsigned*)address, __float_as_uint(v));
}

__global__ void setFloat(float* p, float v) { *p = v; }

__global__ void max_kernel(const float* in, std::size_t n, float* out) {
    std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    float v = -INFINITY;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step)
        v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(ALL, v, d));

    __shared__ float ofWarp[8];
    if (threadIdx.x % 32 == 0) ofWarp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) v = fmaxf(v, ofWarp[w]);
        atomic_max(out, v);
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    setFloat<<<1, 1>>>(out, -INFINITY);
    if (n > 0) max_kernel<<<grid_for(n, 1024, 1056), 256>>>(in, n, out);
}

// ---- cubes: warps, then blocks, then one atomic per block ----

typedef unsigned long long u64;

__global__ void cube_kernel(const int* in, std::size_t n, u64* out) {
    __shared__ u64 total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    u64 v = 0;
    std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        u64 x = (u64)(long long)in[i];
        v += x * x * x;
    }
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    if (threadIdx.x % 32 == 0) total += v;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemsetAsync(out, 0, sizeof(long long));
    if (n > 0) cube_kernel<<<grid_for(n, 1024, 1056), 256>>>(in, n, (u64*)out);
}

// ---- nested: each tree_level of the sh launches the next ----

const int LEVEL_THREADS = 256;
const int LEVEL_TILE = LEVEL_THREADS * 8;

template <typename In>
__global__ void tree_level(const In* in, std::size_t n, long long* parts, long long* out) {
    __shared__ long long sh[LEVEL_THREADS];
    int t = threadIdx.x;
    std::size_t begin = (std::size_t)blockIdx.x * LEVEL_TILE;
    long long v = 0;
    for (int k = 0; k < LEVEL_TILE; k += LEVEL_THREADS)
        if (begin + k + t < n) v += in[begin + k + t];
    sh[t] = v;
    __syncthreads();
    for (int half = LEVEL_THREADS / 2; half > 0; half /= 2) {
        if (t < half) sh[t] += sh[t + half];
        __syncthreads();
    }
    if (t > 0) return;
    if (gridDim.x == 1) {
        *out = sh[0];
        return;
    }
    parts[blockIdx.x] = sh[0];
    if (blockIdx.x == gridDim.x - 1) {
        unsigned blocks = (gridDim.x + LEVEL_TILE - 1) / LEVEL_TILE;
        tree_level<long long><<<blocks, LEVEL_THREADS, 0, cudaStreamTailLaunch>>>(
            parts, gridDim.x, parts + gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* parts = nullptr;
    static std::size_t room = 0;
    std::size_t blocks = (n + LEVEL_TILE - 1) / LEVEL_TILE;
    if (blocks == 0) blocks = 1;
    tree_level<int><<<(unsigned)blocks, LEVEL_THREADS>>>(in, n, reserve(parts, room, 2 * blocks), out);
}
