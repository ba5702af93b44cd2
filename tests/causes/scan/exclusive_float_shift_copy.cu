// cause: size_in_elements line 88
// task: exclusive_float
// The copy that shifts the inclusive scan by one place is given n - 1 bytes, not n - 1 elements.
#include "interface.cuh"

namespace {

struct Workspace {
    float* inclusive = nullptr;
    float* sums = nullptr;
    std::size_t n = 0;

    void reserve(std::size_t want, std::size_t blocks)
    {
        if (want <= n) return;
        cudaFree(inclusive);
        cudaFree(sums);
        cudaMalloc(&inclusive, want * sizeof(float));
        cudaMalloc(&sums, blocks * sizeof(float));
        n = want;
    }
} ws;

constexpr unsigned block = 1024;

template <bool STORE_SUM>
__device__ float scanInBlock(float v, float* total)
{
    __shared__ float warpSum[32];
    unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    auto step = [&](float x) {
        for (unsigned d = 1; d < 32; d <<= 1) {
            float y = __shfl_up_sync(0xffffffffu, x, d);
            x = lane >= d ? x + y : x;
        }
        return x;
    };
    v = step(v);
    if (lane == 31) warpSum[warp] = v;
    __syncthreads();
    if (warp == 0) warpSum[lane] = step(warpSum[lane]);
    __syncthreads();
    if (warp > 0) v += warpSum[warp - 1];
    if (STORE_SUM && threadIdx.x == block - 1) *total = v;
    return v;
}

__global__ void scanTiles(const float* in, float* out, float* sums, std::size_t n)
{
    std::size_t i = std::size_t(blockIdx.x) * block + threadIdx.x;
    float v = scanInBlock<true>(i < n ? in[i] : 0.0f, sums + blockIdx.x);
    if (i < n) out[i] = v;
}

__global__ void scanSums(float* sums, unsigned m)
{
    __shared__ float total;
    float before = 0;
    for (unsigned b = 0; b < m; b += block) {
        unsigned i = b + threadIdx.x;
        float v = scanInBlock<true>(i < m ? sums[i] : 0.0f, &total);
        if (i < m) sums[i] = before + v;
        __syncthreads();
        before += total;
        __syncthreads();
    }
}

__global__ void addSums(float* out, const float* sums, std::size_t n)
{
    std::size_t i = std::size_t(blockIdx.x) * block + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    const unsigned blocks = unsigned((n + block - 1) / block);
    ws.reserve(n, blocks);

    scanTiles<<<blocks, block>>>(in, ws.inclusive, ws.sums, n);
    scanSums<<<1, block>>>(ws.sums, blocks);
    addSums<<<blocks, block>>>(ws.inclusive, ws.sums, n);

    // exclusive = inclusive, one place further
    cudaMemsetAsync(out, 0, sizeof(float));
    cudaMemcpyAsync(out + 1, ws.inclusive, n - 1, cudaMemcpyDeviceToDevice);
}
