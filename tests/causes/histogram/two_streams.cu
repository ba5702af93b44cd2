// cause: stream_not_waited_for line 44 or 43
// task: bytes
// The partial histograms are made in non-blocking streams, and the merge in the default stream does not wait for them.
#include "interface.cuh"
#include <cuda_runtime.h>

struct Part {
    unsigned int count[256];
};

__global__ void partial_histogram(const unsigned char* in, size_t begin, size_t end, Part* parts)
{
    __shared__ Part mine;
    mine.count[threadIdx.x] = 0;
    __syncthreads();
    size_t i = begin + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < end; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine.count[in[i]], 1);
    __syncthreads();
    parts[blockIdx.x].count[threadIdx.x] = mine.count[threadIdx.x];
}

__global__ void sum_parts(const Part* parts, int how_many, unsigned int* bins)
{
    unsigned int s = 0;
    for (int p = 0; p < how_many; p++)
        s += parts[p].count[threadIdx.x];
    bins[threadIdx.x] = s;
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    const int blocks = 20;
    Part* parts;
    cudaMalloc(&parts, 2 * blocks * sizeof(Part));

    cudaStream_t s[2];
    for (int k = 0; k < 2; k++)
        cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking);

    // first half and second half side by side
    partial_histogram<<<blocks, 256, 0, s[0]>>>(in, 0, n / 2, parts);
    partial_histogram<<<blocks, 256, 0, s[1]>>>(in, n / 2, n, parts + blocks);
    sum_parts<<<1, 256>>>(parts, 2 * blocks, bins);

    for (int k = 0; k < 2; k++)
        cudaStreamDestroy(s[k]);
    cudaFree(parts);
}
