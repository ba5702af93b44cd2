// cause: accumulator_too_narrow line 66
// task: inclusive_float
// What has been added up so far is carried from tile to tile in an int, which drops all that comes after the decimal point (and goes wrong altogether beyond 2^31).
#include "interface.cuh"

// Reduce, scan the sums, scan again. G blocks share the input in pieces of equal length.

#define G 216
#define W 256

__device__ float warpInclusive(float x)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned d = 1; d < 32; d += d) {
        const float y = __shfl_up_sync(0xffffffff, x, d);
        x = lane < d ? x : x + y;
    }
    return x;
}

__device__ float blockInclusive(float x, float& all)
{
    __shared__ float ws[W / 32];
    x = warpInclusive(x);
    __syncthreads();               // ws may still be in use from the last time
    if (threadIdx.x % 32 == 31) ws[threadIdx.x / 32] = x;
    __syncthreads();
    float left = 0;
    all = 0;
    for (unsigned k = 0; k < W / 32; k++) {
        if (k == threadIdx.x / 32) left = all;
        all += ws[k];
    }
    return left + x;
}

__device__ void piece(size_t n, size_t& from, size_t& to)
{
    const size_t length = (n + G - 1) / G;
    from = min(n, blockIdx.x * length);
    to = min(n, from + length);
}

__global__ void reducePieces(const float* in, size_t n, float* sums)
{
    size_t from, to;
    piece(n, from, to);
    float s = 0, all;
    for (size_t i = from + threadIdx.x; i < to; i += W) s += in[i];
    blockInclusive(s, all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

__global__ void scanSums(float* sums)
{
    float all;
    float x = threadIdx.x > 0 && threadIdx.x < G ? sums[threadIdx.x - 1] : 0;
    x = blockInclusive(x, all);
    if (threadIdx.x < G) sums[threadIdx.x] = x;
}

__global__ void scanPieces(const float* in, size_t n, float* out, const float* sums)
{
    size_t from, to;
    piece(n, from, to);
    int carry = sums[blockIdx.x];
    for (size_t base = from; base < to; base += W) {
        const size_t i = base + threadIdx.x;
        float all;
        const float x = blockInclusive(i < to ? in[i] : 0, all);
        if (i < to) out[i] = carry + x;
        carry += all;
    }
}

__device__ float pieceSums[G];

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    void* sums;
    cudaGetSymbolAddress(&sums, pieceSums);
    reducePieces<<<G, W>>>(in, n, (float*)sums);
    scanSums<<<1, W>>>((float*)sums);
    scanPieces<<<G, W>>>(in, n, out, (const float*)sums);
}
