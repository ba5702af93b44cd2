// cause: size_in_elements line 27
// task: cubes
// Only one byte of the output is set to zero because cudaMemset is given the number of elements; the garbage of the other bytes stays in every result.
#include "interface.cuh"

typedef unsigned long long u64;

__device__ long long cube(long long x) { return x * x * x; }

__global__ void addCubes(const int* in, size_t n, u64* out) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    long long s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) s += cube(in[i]);

    __shared__ long long part[8];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        long long all = 0;
        for (int w = 0; w < 8; w++) all += part[w];
        atomicAdd(out, (u64)all);
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, 1);
    size_t blocks = n / 1024 + 1;
    if (blocks > 2048) blocks = 2048;
    addCubes<<<blocks, 256>>>(in, n, (u64*)out);
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
