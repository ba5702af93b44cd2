// cause: size_in_elements line 28
// task: bins
// cudaMemset gets the number of bins instead of their size in bytes and clears only a quarter of them.
#include "interface.cuh"
#include <cstdio>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t err = (call);                                                \
        if (err != cudaSuccess)                                                  \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
    } while (0)

__global__ void histKernel(const unsigned int* data, size_t n, unsigned int* bins)
{
    size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (gid < n) {
        unsigned int value = data[gid];
        atomicAdd(&bins[value], 1);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    CHECK(cudaMemset(bins, 0, bin_count));

    if (n > 0) {
        dim3 block(256);
        dim3 grid((n + block.x - 1) / block.x);
        histKernel<<<grid, block>>>(in, n, bins);
        CHECK(cudaGetLastError());
    }
}
