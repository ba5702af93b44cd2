// cause: launch_refused line 39
// task: bins
// Whether the bins fit is asked of the shared memory of a multiprocessor, not of a block: with somewhat more than 12,288
// bins the launch is refused and the counts stay 0.
#include <cstdio>

#include "interface.cuh"

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t status = (call);                                                 \
        if (status != cudaSuccess)                                                   \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
    } while (0)

// all counting in global memory: slow, but for any number of bins
__global__ void countInGlobal(const unsigned int* values, size_t n, unsigned int* bins) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[values[i]], 1u);
}

__global__ void countInShared(const unsigned int* values, size_t n, unsigned int* bins, unsigned int binCount) {
    extern __shared__ unsigned int priv[];
    for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x) priv[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&priv[values[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x)
        if (priv[b]) atomicAdd(&bins[b], priv[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
    CHECK(cudaMemset(bins, 0, bin_count * sizeof(unsigned int)));
    if (n == 0) return;

    int device = 0, room = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));

    const size_t needed = bin_count * sizeof(unsigned int);
    if (needed <= (size_t)room && n > bin_count) {
        countInShared<<<8, 512, needed>>>(in, n, bins, bin_count);
    } else {
        countInGlobal<<<64, 256>>>(in, n, bins);
    }
    CHECK(cudaGetLastError());
}
