// cause: converted_not_reinterpreted line 42
// task: max
// The last kernel turns the ordered key back into the float's bits but assigns the integer, which converts it to a large number.
#include "interface.cuh"

// Order-preserving map between floats and signed integers:
// flip the lower 31 bits of negative numbers.
__device__ int order(int bits) { return bits >= 0 ? bits : bits ^ 0x7fffffff; }

__device__ int g_key;

__global__ void init_key()
{
    g_key = order(__float_as_int(-1.0f / 0.0f));
}

__global__ void max_kernel(const float *in, size_t n)
{
    __shared__ int best[8];
    int key = order(__float_as_int(-1.0f / 0.0f));

    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    while (i < n) {
        key = max(key, order(__float_as_int(in[i])));
        i += (size_t)blockDim.x * gridDim.x;
    }

    for (int d = 1; d < 32; d <<= 1)
        key = max(key, __shfl_xor_sync(0xFFFFFFFF, key, d));
    if ((threadIdx.x & 31) == 0)
        best[threadIdx.x >> 5] = key;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            key = max(key, best[w]);
        atomicMax(&g_key, key);
    }
}

__global__ void write_result(float *out)
{
    *out = order(g_key);
}

void reduce_max(const float *in, size_t n, float *out)
{
    const int threads = 256;
    size_t blocks = (n + 16 * threads - 1) / (16 * threads);
    if (blocks == 0) blocks = 1;

    init_key<<<1, 1>>>();
    max_kernel<<<blocks, threads>>>(in, n);
    write_result<<<1, 1>>>(out);
}
