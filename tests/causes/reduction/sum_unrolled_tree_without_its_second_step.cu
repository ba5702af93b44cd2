// cause: tree_level_missing line 61 or 62
// task: sum
// the unrolled tree goes from 256 straight to 64, so slots 128 to 255 are not added to the lower ones; wrong as soon as threads above 127 have elements
#include "interface.cuh"

// *out = the largest of n floats
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// *out = the sum of the cubes of n ints, in 64 bits
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// *out = the sum of n ints, in 64 bits, by kernels that launch the next ones
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// Sum of doubles after the well-known slides: several elements per thread first, then an
// unrolled tree in shared memory, the last warp without barriers for the block.

namespace sum {

constexpr unsigned kMaxBlocks = 1024;

template <unsigned blockSize>
__device__ void lastWarp(double* sdata, unsigned tid) {
    double x = sdata[tid];
    if (blockSize >= 64) x += sdata[tid + 32];
    for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_down_sync(0xffffffff, x, offset);
    if (tid == 0) sdata[0] = x;
}

template <unsigned blockSize>
__global__ void reduce(const double* g_idata, size_t n, double* g_odata) {
    __shared__ double sdata[blockSize];

    const unsigned tid = threadIdx.x;
    const size_t gridSize = size_t(blockSize) * 2 * gridDim.x;
    size_t i = size_t(blockIdx.x) * (blockSize * 2) + tid;

    double mySum = 0;
    while (i < n) {
        mySum += g_idata[i];
        if (i + blockSize < n) mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mySum;
    __syncthreads();

    // blockSize is known to the compiler, what is not needed drops out
    if (blockSize >= 1024) {
        if (tid < 512) sdata[tid] += sdata[tid + 512];
        __syncthreads();
    }
    if (blockSize >= 512) {
        if (tid < 256) sdata[tid] += sdata[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64) sdata[tid] += sdata[tid + 64];
        __syncthreads();
    }

    if (tid < 32) lastWarp<blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

}  // namespace sum

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr unsigned threads = 512;
    static double* partial = nullptr;
    if (!partial) cudaMalloc((void**)&partial, sum::kMaxBlocks * sizeof(double));

    size_t blocks = (n + 2 * threads - 1) / (2 * threads);
    if (blocks < 1) blocks = 1;
    if (blocks > sum::kMaxBlocks) blocks = sum::kMaxBlocks;

    sum::reduce<threads><<<(unsigned)blocks, threads>>>(in, n, partial);
    sum::reduce<threads><<<1, threads>>>(partial, blocks, out);
}
