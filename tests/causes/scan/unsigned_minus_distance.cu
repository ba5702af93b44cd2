// cause: unsigned_index line 14
// task: inclusive_int
// threadIdx.x - d is unsigned and thus never negative, so the threads left of d read far outside of the array; shows in every case
#include "interface.cuh"

using uint = unsigned int;

// in-place scan of blockDim.x values
__device__ void koggeStone(int* temp)
{
    for (uint d = 1; d < blockDim.x; d <<= 1)
    {
        int val = 0;
        if (threadIdx.x - d >= 0)
            val = temp[threadIdx.x - d];
        __syncthreads();
        temp[threadIdx.x] += val;
        __syncthreads();
    }
}

__global__ void scanSegments(const int* input, uint n, int* output, int* partial)
{
    extern __shared__ int temp[];
    uint gid = blockIdx.x * blockDim.x + threadIdx.x;

    temp[threadIdx.x] = (gid < n) ? input[gid] : 0;
    __syncthreads();
    koggeStone(temp);

    if (gid < n)
        output[gid] = temp[threadIdx.x];
    if (threadIdx.x == blockDim.x - 1)
        partial[blockIdx.x] = temp[threadIdx.x];
}

__global__ void scanPartials(int* partial, uint count)
{
    extern __shared__ int temp[];
    int carry = 0;
    for (uint base = 0; base < count; base += blockDim.x)
    {
        uint k = base + threadIdx.x;
        temp[threadIdx.x] = (k < count) ? partial[k] : 0;
        __syncthreads();
        koggeStone(temp);
        if (k < count)
            partial[k] = carry + temp[threadIdx.x];
        carry += temp[blockDim.x - 1];
        __syncthreads();
    }
}

__global__ void addPartials(int* output, uint n, const int* partial)
{
    uint gid = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (gid < n)
        output[gid] += partial[blockIdx.x];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    const uint blockSize = 256;
    const uint gridSize = (n + blockSize - 1) / blockSize;

    static int* partial = nullptr;
    static uint partialSize = 0;
    if (gridSize > partialSize)
    {
        cudaFree(partial);
        cudaMalloc(&partial, gridSize * sizeof(int));
        partialSize = gridSize;
    }

    scanSegments<<<gridSize, blockSize, blockSize * sizeof(int)>>>(in, n, out, partial);
    if (gridSize > 1)
    {
        scanPartials<<<1, blockSize, blockSize * sizeof(int)>>>(partial, gridSize);
        addPartials<<<gridSize - 1, blockSize>>>(out, n, partial);
    }
}
