// cause: misaligned line 79
// task: exclusive_float
// Four results are stored by one wide access at out + 1 + 4 k, which is no multiple of 16 bytes.
#include "interface.cuh"

namespace vec {

constexpr int kThreads = 128;
constexpr int kTile = 4 * kThreads;

__device__ float4 load(const float* in, std::size_t i, std::size_t n)
{
    if (i + 4 <= n) return *reinterpret_cast<const float4*>(in + i);
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (i < n) v.x = in[i];
    if (i + 1 < n) v.y = in[i + 1];
    if (i + 2 < n) v.z = in[i + 2];
    return v;
}

// the sum over the threads before this one; total: over all
__device__ float before(float mine, float& total)
{
    __shared__ float w[kThreads / 32];
    const int lane = threadIdx.x % 32;
    float incl = mine;
    for (int d = 1; d < 32; d *= 2) {
        const float y = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += y;
    }
    if (lane == 31) w[threadIdx.x / 32] = incl;
    float excl = __shfl_up_sync(0xffffffffu, incl, 1);
    if (lane == 0) excl = 0.f;
    __syncthreads();
    float front = 0.f;
    total = 0.f;
    for (int k = 0; k < kThreads / 32; ++k) {
        if (k == threadIdx.x / 32) front = total;
        total += w[k];
    }
    __syncthreads();
    return front + excl;
}

__global__ void sumTiles(const float* in, std::size_t n, float* sums)
{
    const float4 v = load(in, std::size_t(blockIdx.x) * kTile + 4 * threadIdx.x, n);
    float total;
    before((v.x + v.y) + (v.z + v.w), total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scanSums(float* sums, int m)
{
    float carry = 0.f;
    for (int b = 0; b < m; b += kThreads) {
        const int i = b + threadIdx.x;
        float total;
        const float x = before(i < m ? sums[i] : 0.f, total);
        if (i < m) sums[i] = carry + x;
        carry += total;
    }
}

// element i of the inclusive scan is element i + 1 of the exclusive one
__global__ void scanTiles(const float* in, std::size_t n, const float* sums, float* out)
{
    const std::size_t i = std::size_t(blockIdx.x) * kTile + 4 * threadIdx.x;
    float4 v = load(in, i, n);
    float total;
    const float b = sums[blockIdx.x] + before((v.x + v.y) + (v.z + v.w), total);
    v.x += b;
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;

    if (i == 0) out[0] = 0.f;
    if (i + 4 < n) {
        *reinterpret_cast<float4*>(out + i + 1) = v;
    } else {
        if (i + 1 < n) out[i + 1] = v.x;
        if (i + 2 < n) out[i + 2] = v.y;
        if (i + 3 < n) out[i + 3] = v.z;
    }
}

}  // namespace vec

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    const unsigned tiles = unsigned((n + vec::kTile - 1) / vec::kTile);
    static float* sums = nullptr;
    static unsigned allocated = 0;
    if (tiles > allocated) {
        cudaFree(sums);
        cudaMalloc(&sums, tiles * sizeof(float));
        allocated = tiles;
    }
    vec::sumTiles<<<tiles, vec::kThreads>>>(in, n, sums);
    vec::scanSums<<<1, vec::kThreads>>>(sums, int(tiles));
    vec::scanTiles<<<tiles, vec::kThreads>>>(in, n, sums, out);
}
