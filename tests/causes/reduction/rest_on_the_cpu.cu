// cause: device_pointer_on_host line 46
// task: sum
// The host stores the total through the pointer to the device's memory and crashes or writes nowhere; it shows in each call.
#include "interface.cuh"
#include <cstdio>
#include <cstdlib>

// Each block adds up 1024 elements: 4 per thread, then a tree.
__global__ void partial_sums(const double* in, size_t n, double* sums)
{
    __shared__ double tree[256];
    double mine = 0.0;
    for (int k = 0; k < 4; k++) {
        size_t i = (size_t)blockIdx.x * 1024 + k * 256 + threadIdx.x;
        if (i < n) mine += in[i];
    }
    tree[threadIdx.x] = mine;
    __syncthreads();

    for (int half = 128; half >= 1; half = half / 2) {
        if (threadIdx.x < half) tree[threadIdx.x] = tree[threadIdx.x] + tree[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    size_t blocks = (n + 1023) / 1024;
    double total = 0.0;

    if (blocks > 0) {
        double* h_sums = (double*)malloc(blocks * sizeof(double));
        double* d_sums;
        cudaMalloc((void**)&d_sums, blocks * sizeof(double));

        partial_sums<<<blocks, 256>>>(in, n, d_sums);
        cudaMemcpy(h_sums, d_sums, blocks * sizeof(double), cudaMemcpyDeviceToHost);

        for (size_t b = 0; b < blocks; b++) total += h_sums[b];

        cudaFree(d_sums);
        free(h_sums);
    }
    *out = total;
}

void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
