// cause: device_pointer_on_host line 34
// task: scatter
// the totals are cleared by a loop on the host through a device pointer, which crashes at the first call
#include "interface.cuh"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,               \
                    cudaGetErrorString(e_));                                 \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

__global__ void add_bookings(const int32_t *value, const uint32_t *target, size_t n, int64_t *total)
{
    size_t i = threadIdx.x + blockIdx.x * (size_t)blockDim.x;
    size_t step = gridDim.x * (size_t)blockDim.x;

    while (i < n) {
        int64_t amount = value[i];
        atomicAdd((unsigned long long *)(total + target[i]), (unsigned long long)amount);
        i += step;
    }
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total)
{
    for (size_t t = 0; t < m; t++)
        total[t] = 0;

    if (n > 0) {
        int blocks = n < 1024 * 256 ? (int)((n + 255) / 256) : 1024;
        add_bookings<<<blocks, 256>>>(value, target, n, total);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}
