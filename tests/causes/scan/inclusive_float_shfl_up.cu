// cause: wrong_element line 13
// task: inclusive_float
// Lane d does not add lane 0 in step d since the comparison is strict, so the first element of a warp is missing in some sums.
#include "interface.cuh"

const int TB = 256;

__device__ float warp_scan(float v)
{
    int lane = threadIdx.x & 31;
    for (int d = 1; d <= 16; d *= 2) {
        float u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane > d)
            v += u;
    }
    return v;
}

__device__ float block_scan(float v)
{
    __shared__ float ws[TB / 32];
    v = warp_scan(v);
    if (threadIdx.x % 32 == 31)
        ws[threadIdx.x / 32] = v;
    __syncthreads();
    float before = 0.f;
    for (int w = 0; w < threadIdx.x / 32; w++)
        before += ws[w];
    __syncthreads();
    return before + v;
}

__global__ void step1(const float *in, float *out, size_t n, float *sums)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * TB;
    float v = block_scan(i < n ? in[i] : 0.f);
    if (i < n) out[i] = v;
    if (threadIdx.x == TB - 1) sums[blockIdx.x] = v;
}

__global__ void step2(float *sums, int m)
{
    float carry = 0.f;
    __shared__ float last;
    for (int k = 0; k < m; k += TB) {
        int i = k + threadIdx.x;
        float v = block_scan(i < m ? sums[i] : 0.f) + carry;
        if (i < m) sums[i] = v;
        if (threadIdx.x == TB - 1) last = v;
        __syncthreads();
        carry = last;
        __syncthreads();
    }
}

__global__ void step3(float *out, size_t n, const float *sums)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * TB;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

void scan_inclusive_float(const float *in, size_t n, float *out)
{
    int nb = (int)((n + TB - 1) / TB);
    static float *sums = 0;
    static int have = 0;
    if (nb > have) {
        cudaFree(sums);
        cudaMalloc((void **)&sums, nb * sizeof(float));
        have = nb;
    }
    step1<<<nb, TB>>>(in, out, n, sums);
    step2<<<1, TB>>>(sums, nb);
    step3<<<nb, TB>>>(out, n, sums);
}
