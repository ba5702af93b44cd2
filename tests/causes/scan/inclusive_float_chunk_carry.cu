// cause: missing_barrier line 75
// task: inclusive_float
// The last thread sets the carry of the chunk to its new value while slower threads of the block still have to read the old one.
#include "interface.cuh"

constexpr int CHUNKS = 64;
constexpr int T = 256;

__device__ float blockScan(float v, float *warpSums)
{
    const unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d += d) {
        float o = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += o;
    }
    if (lane == 31)
        warpSums[w] = v;
    __syncthreads();
    float add = 0;
    for (unsigned k = 0; k < w; k++)
        add += warpSums[k];
    return add + v;
}

struct Range {
    size_t begin, end;
};

__host__ __device__ Range chunk(size_t n, int c)
{
    size_t tiles = (n + T - 1) / T;
    size_t per = (tiles + CHUNKS - 1) / CHUNKS * T;
    size_t b = per * c, e = b + per;
    return {b < n ? b : n, e < n ? e : n};
}

// phase 1: the sum of each chunk
__global__ void chunkSums(const float *in, size_t n, float *sums)
{
    __shared__ float s[T];
    Range r = chunk(n, blockIdx.x);
    float v = 0;
    for (size_t i = r.begin + threadIdx.x; i < r.end; i += T)
        v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = T / 2; h; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = s[0];
}

// phase 2: each chunk from what was before it
__global__ void chunkScan(const float *in, size_t n, const float *sums, float *out)
{
    __shared__ float warpSums[T / 32];
    __shared__ float carry;
    Range r = chunk(n, blockIdx.x);
    if (threadIdx.x == 0) {
        float c = 0;
        for (int k = 0; k < blockIdx.x; k++)
            c += sums[k];
        carry = c;
    }

    for (size_t base = r.begin; base < r.end; base += T) {
        size_t i = base + threadIdx.x;
        float v = blockScan(i < r.end ? in[i] : 0.0f, warpSums) + carry;
        if (i < r.end)
            out[i] = v;
        if (threadIdx.x == T - 1)
            carry = v;
        __syncthreads();
    }
}

void scan_inclusive_float(const float *in, size_t n, float *out)
{
    static float *sums;
    if (!sums)
        cudaMalloc(&sums, CHUNKS * sizeof(float));
    chunkSums<<<CHUNKS, T>>>(in, n, sums);
    chunkScan<<<CHUNKS, T>>>(in, n, sums, out);
}
