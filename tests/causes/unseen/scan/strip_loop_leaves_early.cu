// cause: divergent_barrier line 66
// task: exclusive_float
// threads whose own element is past the end of the strip leave the loop, while the others wait for them in the barriers of the block scan; shows whenever a strip is no multiple of 256.
#include "interface.cuh"

constexpr unsigned BLOCKS  = 80;
constexpr unsigned THREADS = 256;

__device__ float warp_scan(float v)
{
    const unsigned lane = threadIdx.x & 31;
    for (unsigned d = 1; d < 32; d *= 2) {
        const float o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    return v;
}

// returns the sum of the values of the threads before this one
__device__ float block_scan(float v, float& total)
{
    __shared__ float sums[THREADS / 32];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    const float incl = warp_scan(v);
    float excl = __shfl_up_sync(~0u, incl, 1);
    if (lane == 0) excl = 0.f;

    __syncthreads();
    if (lane == 31) sums[warp] = incl;
    __syncthreads();

    float before = 0.f;
    total = 0.f;
    for (unsigned w = 0; w < THREADS / 32; ++w) {
        if (w == warp) before = total;
        total += sums[w];
    }
    return before + excl;
}

__global__ void strip_sum(const float* in, size_t n, size_t strip, float* sums)
{
    const size_t lo = blockIdx.x * strip;
    const size_t hi = min(lo + strip, n);
    float mine = 0.f, total;
    for (size_t i = lo + threadIdx.x; i < hi; i += THREADS) mine += in[i];
    block_scan(mine, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scan_sums(float* sums)
{
    float total;
    const float v = threadIdx.x < BLOCKS ? sums[threadIdx.x] : 0.f;
    const float e = block_scan(v, total);
    if (threadIdx.x < BLOCKS) sums[threadIdx.x] = e;
}

__global__ void strip_scan(const float* in, size_t n, size_t strip, const float* sums, float* out)
{
    const size_t lo = blockIdx.x * strip;
    const size_t hi = min(lo + strip, n);
    float carry = sums[blockIdx.x];

    for (size_t i = lo + threadIdx.x; i < hi; i += THREADS) {
        const float v = i < hi ? in[i] : 0.f;
        float total;
        const float e = block_scan(v, total);
        if (i < hi) out[i] = carry + e;
        carry += total;
    }
}

void scan_exclusive_float(const float* in, size_t n, float* out)
{
    static float* sums = nullptr;
    if (sums == nullptr) cudaMalloc(&sums, BLOCKS * sizeof(float));
    const size_t strip = (n + BLOCKS - 1) / BLOCKS;
    strip_sum<<<BLOCKS, THREADS>>>(in, n, strip, sums);
    scan_sums<<<1, THREADS>>>(sums);
    strip_scan<<<BLOCKS, THREADS>>>(in, n, strip, sums, out);
}
