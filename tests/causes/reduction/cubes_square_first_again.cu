// cause: integer_overflow line 10
// task: cubes
// The square is multiplied as int before it is stored in a long long, so it overflows for |x| > 46340.
#include "interface.cuh"

typedef unsigned long long u64;

__device__ __forceinline__ long long cube(int x)
{
    long long sq = x * x;
    return sq * x;
}

template <int B>
__global__ void cubes_kernel(const int* __restrict__ in, size_t n, u64* out)
{
    __shared__ long long buf[B];
    long long acc = 0;
    size_t i = blockIdx.x * (size_t)(2 * B) + threadIdx.x;
    const size_t grid = (size_t)(2 * B) * gridDim.x;

    while (i < n) {
        acc += cube(in[i]);
        if (i + B < n)
            acc += cube(in[i + B]);
        i += grid;
    }
    buf[threadIdx.x] = acc;
    __syncthreads();

#pragma unroll
    for (int s = B / 2; s >= 1; s /= 2) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }

    if (threadIdx.x == 0) atomicAdd(out, (u64)buf[0]);
}

void reduce_cubes(const int* in, size_t n, long long* out)
{
    constexpr int B = 256;
    cudaMemsetAsync(out, 0, sizeof *out);
    if (n == 0) return;
    size_t blocks = (n + 2 * B - 1) / (2 * B);
    if (blocks > 2048) blocks = 2048;
    cubes_kernel<B><<<(unsigned)blocks, B>>>(in, n, reinterpret_cast<u64*>(out));
}
