// cause: child_not_in_tail line 153
// task: nested
// The first block launches the next level into no stream, which may run before the other blocks have stored their partial sums; shows from two blocks on.
#include <cmath>
#include <cstddef>

#include "interface.cuh"

static const unsigned ALL = 0xffffffffu;

template <typename T>
static T* buffer(T*& memory, std::size_t& room, std::size_t need) {
    if (need > room) {
        if (memory) cudaFree(memory);
        cudaMalloc(&memory, need * sizeof(T));
        room = need;
    }
    return memory;
}

static int blocksFor(std::size_t n, int perBlock, int most) {
    std::size_t b = (n + perBlock - 1) / perBlock;
    if (b < 1) b = 1;
    return b > (std::size_t)most ? most : (int)b;
}

// ---- sum: two launches, the second of one block ----

const int ST = 512;
const int SW = ST / 32;

__device__ double sumOfBlock(double v) {
    __shared__ double s[SW];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < SW ? s[lane] : 0.0;
        for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    }
    return v;
}

__global__ void sumPass(const double* in, std::size_t n, double* out) {
    std::size_t i = blockIdx.x * (std::size_t)ST + threadIdx.x;
    std::size_t step = (std::size_t)gridDim.x * ST;
    double v = 0.0, w = 0.0;
    for (; i + step < n; i += 2 * step) {
        v += in[i];
        w += in[i + step];
    }
    if (i < n) v += in[i];
    v = sumOfBlock(v + w);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    static std::size_t room = 0;
    int blocks = blocksFor(n, ST * 2, 1056);
    sumPass<<<blocks, ST>>>(in, n, buffer(partial, room, blocks));
    sumPass<<<1, ST>>>(partial, blocks, out);
}

// ---- max: one atomic per block, on the bits ----

// Bits of positive floats are in the order of signed integers, those of negative ones in the
// reverse order, and as unsigned integers they are above all positive ones.
__device__ void atomicMaxFloat(float* address, float v) {
    if (__float_as_int(v) >= 0)
        atomicMax((int*)address, __float_as_int(v));
    else
        atomicMin((unsigned*)address, __float_as_uint(v));
}

__global__ void setFloat(float* p, float v) { *p = v; }

__global__ void maxPass(const float* in, std::size_t n, float* out) {
    std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    float v = -INFINITY;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step)
        v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(ALL, v, d));

    __shared__ float s[8];
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) v = fmaxf(v, s[w]);
        atomicMaxFloat(out, v);
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    setFloat<<<1, 1>>>(out, -INFINITY);
    if (n > 0) maxPass<<<blocksFor(n, 1024, 1056), 256>>>(in, n, out);
}

// ---- cubes: one atomic per warp in shared memory, one per block in global memory ----

typedef unsigned long long Word;

__global__ void cubePass(const int* in, std::size_t n, Word* out) {
    __shared__ Word total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    Word v = 0;
    std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        Word x = (Word)(long long)in[i];
        v += x * x * x;
    }
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, v);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemsetAsync(out, 0, sizeof(long long));
    if (n > 0) cubePass<<<blocksFor(n, 1024, 1056), 256>>>(in, n, (Word*)out);
}

// ---- nested: each level of the sums launches the next ----

const int NT = 256;
const int NTILE = NT * 8;

template <typename In>
__global__ void level(const In* in, std::size_t n, long long* partial, long long* out) {
    __shared__ long long sums[NT];
    int t = threadIdx.x;
    std::size_t begin = (std::size_t)blockIdx.x * NTILE;
    long long v = 0;
    for (int k = 0; k < NTILE; k += NT)
        if (begin + k + t < n) v += in[begin + k + t];
    sums[t] = v;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h) sums[t] += sums[t + h];
        __syncthreads();
    }
    if (t > 0) return;
    if (gridDim.x == 1) {
        *out = sums[0];
        return;
    }
    partial[blockIdx.x] = sums[0];
    if (blockIdx.x == 0) {
        unsigned blocks = (gridDim.x + NTILE - 1) / NTILE;
        level<long long><<<blocks, NT>>>(
            partial, gridDim.x, partial + gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* partial = nullptr;
    static std::size_t room = 0;
    std::size_t blocks = (n + NTILE - 1) / NTILE;
    if (blocks == 0) blocks = 1;
    level<int><<<(unsigned)blocks, NT>>>(in, n, buffer(partial, room, 2 * blocks), out);
}
