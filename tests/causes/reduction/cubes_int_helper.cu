// cause: accumulator_too_narrow line 8
// task: cubes
// The shuffle helper takes and returns an int, so the lanes' 64-bit sums are cut to 32 bits before they are combined.
#include "interface.cuh"

const int BLOCK = 512;

__device__ int addLanes(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sumOfCubes(const int* in, size_t n, unsigned long long* result)
{
    __shared__ long long sums[BLOCK / 32];

    // 1. every thread: several elements
    long long mySum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        long long x = in[i];
        mySum += x * x * x;
    }

    // 2. every warp
    mySum = addLanes(mySum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = mySum;
    __syncthreads();

    // 3. the block
    if (threadIdx.x < 32) {
        long long v = 0;
        if (threadIdx.x < BLOCK / 32)
            v = sums[threadIdx.x];
        v = addLanes(v);
        if (threadIdx.x == 0)
            atomicAdd(result, static_cast<unsigned long long>(v));
    }
}

void reduce_cubes(const int* in, size_t n, long long* out)
{
    cudaMemset(out, 0, sizeof(long long));
    size_t blocks = (n + BLOCK * 4 - 1) / (BLOCK * 4);
    if (blocks < 1) blocks = 1;
    if (blocks > 1056) blocks = 1056;
    sumOfCubes<<<(int)blocks, BLOCK>>>(in, n, (unsigned long long*)out);
}
