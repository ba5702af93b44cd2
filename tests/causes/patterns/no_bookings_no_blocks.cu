// cause: launch_refused line 34 or 35
// task: scatter
// For n = 0 the grid has 0 blocks, and the launch is refused.
#include "interface.cuh"
#include <stdio.h>
#include <stdlib.h>

#define CUDA_OK(expr)                                                    \
    {                                                                    \
        cudaError_t status = (expr);                                     \
        if (status != cudaSuccess) {                                     \
            fprintf(stderr, "CUDA error: %s (%s)\n", cudaGetErrorString(status), #expr); \
            exit(EXIT_FAILURE);                                          \
        }                                                                \
    }

__global__ void clear(long long *total, size_t m) {
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (t < m) total[t] = 0;
}

__global__ void book(const int *value, const unsigned *target, size_t n, long long *total) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long amount = value[i];
    // two's complement: an unsigned addition gives the same bits
    atomicAdd((unsigned long long *)&total[target[i]], (unsigned long long)amount);
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total) {
    long long *sums = (long long *)total;
    clear<<<(m + 255) / 256, 256>>>(sums, m);
    CUDA_OK(cudaGetLastError());
    size_t blocks = (n + 255) / 256;
    book<<<blocks, 256>>>(value, target, n, sums);
    CUDA_OK(cudaGetLastError());
}
