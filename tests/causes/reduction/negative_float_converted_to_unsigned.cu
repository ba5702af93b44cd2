// cause: converted_not_reinterpreted line 74
// task: max
// The negative branch of the atomic converts the float to an unsigned number instead of taking its bits, so the result is wrong where all elements are negative.
#include <cmath>
#include <cstddef>

#include "interface.cuh"

static const unsigned FULL_MASK = 0xffffffffu;

template <typename T>
static T* room_for(T*& memory, std::size_t& room, std::size_t need) {
    if (need > room) {
        if (memory) cudaFree(memory);
        cudaMalloc(&memory, need * sizeof(T));
        room = need;
    }
    return memory;
}

static int numBlocks(std::size_t n, int perBlock, int most) {
    std::size_t b = (n + perBlock - 1) / perBlock;
    if (b < 1) b = 1;
    return b > (std::size_t)most ? most : (int)b;
}

// ---- sum: two launches, the second of one block ----

const int SUM_THREADS = 512;
const int SUM_WARPS = SUM_THREADS / 32;

__device__ double blockSum(double v) {
    __shared__ double warpValue[SUM_WARPS];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(FULL_MASK, v, d);
    if (lane == 0) warpValue[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < SUM_WARPS ? warpValue[lane] : 0.0;
        for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(FULL_MASK, v, d);
    }
    return v;
}

__global__ void sumKernel(const double* in, std::size_t n, double* out) {
    std::size_t i = blockIdx.x * (std::size_t)SUM_THREADS + threadIdx.x;
    std::size_t stride = (std::size_t)gridDim.x * SUM_THREADS;
    double v = 0.0, w = 0.0;
    for (; i + stride < n; i += 2 * stride) {
        v += in[i];
        w += in[i + stride];
    }
    if (i < n) v += in[i];
    v = blockSum(v + w);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    static std::size_t room = 0;
    int blocks = numBlocks(n, SUM_THREADS * 2, 1056);
    sumKernel<<<blocks, SUM_THREADS>>>(in, n, room_for(partial, room, blocks));
    sumKernel<<<1, SUM_THREADS>>>(partial, blocks, out);
}

// ---- max: one atomic per block, on the bits ----

// Bits of positive floats are in the order of signed integers, those of negative ones in the
// reverse order, and as unsigned integers they are above all positive ones.
__device__ void floatMax(float* address, float v) {
    if (__float_as_int(v) >= 0)
        atomicMax((int*)address, __float_as_int(v));
    else
        atomicMin((unsigned*)address, (unsigned)v);
}

__global__ void fill1(float* p, float v) { *p = v; }

__global__ void maxKernel(const float* in, std::size_t n, float* out) {
    std::size_t stride = (std::size_t)gridDim.x * blockDim.x;
    float v = -INFINITY;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, d));

    __shared__ float warpValue[8];
    if (threadIdx.x % 32 == 0) warpValue[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) v = fmaxf(v, warpValue[w]);
        floatMax(out, v);
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    fill1<<<1, 1>>>(out, -INFINITY);
    if (n > 0) maxKernel<<<numBlocks(n, 1024, 1056), 256>>>(in, n, out);
}

// ---- cubes: one atomic per warp in shared memory, one per block in global memory ----

typedef unsigned long long Word;

__global__ void cubesKernel(const int* in, std::size_t n, Word* out) {
    __shared__ Word total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    Word v = 0;
    std::size_t stride = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
        Word x = (Word)(long long)in[i];
        v += x * x * x;
    }
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(FULL_MASK, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, v);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemsetAsync(out, 0, sizeof(long long));
    if (n > 0) cubesKernel<<<numBlocks(n, 1024, 1056), 256>>>(in, n, (Word*)out);
}

// ---- nested: each nestedKernel of the tree launches the next ----

const int LEVEL_THREADS = 256;
const int LEVEL_TILE = LEVEL_THREADS * 8;

template <typename In>
__global__ void nestedKernel(const In* in, std::size_t n, long long* partial, long long* out) {
    __shared__ long long tree[LEVEL_THREADS];
    int t = threadIdx.x;
    std::size_t begin = (std::size_t)blockIdx.x * LEVEL_TILE;
    long long v = 0;
    for (int k = 0; k < LEVEL_TILE; k += LEVEL_THREADS)
        if (begin + k + t < n) v += in[begin + k + t];
    tree[t] = v;
    __syncthreads();
    for (int half = LEVEL_THREADS / 2; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t > 0) return;
    if (gridDim.x == 1) {
        *out = tree[0];
        return;
    }
    partial[blockIdx.x] = tree[0];
    if (blockIdx.x == gridDim.x - 1) {
        unsigned blocks = (gridDim.x + LEVEL_TILE - 1) / LEVEL_TILE;
        nestedKernel<long long><<<blocks, LEVEL_THREADS, 0, cudaStreamTailLaunch>>>(
            partial, gridDim.x, partial + gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* partial = nullptr;
    static std::size_t room = 0;
    std::size_t blocks = (n + LEVEL_TILE - 1) / LEVEL_TILE;
    if (blocks == 0) blocks = 1;
    nestedKernel<int><<<(unsigned)blocks, LEVEL_THREADS>>>(in, n, room_for(partial, room, 2 * blocks), out);
}
