// cause: not_a_power_of_two line 15 or 56
// task: sum
// The second kernel halves as many partial sums as there were blocks; where that is no power of two, some are dropped.
#include "interface.cuh"

#include <algorithm>

#define THREADS 256
#define MAX_PARTIALS 1024

// Adds up part[0] ... part[blockDim.x - 1] into part[0]. All threads of the block take part.
__device__ void tree(double* part) {
    const unsigned t = threadIdx.x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
}

// First pass. Each thread walks through the array with the stride of the grid.
__global__ void partial_sums(const double* in, std::size_t n, double* partials) {
    __shared__ double part[THREADS];
    const std::size_t step = std::size_t(gridDim.x) * THREADS;
    std::size_t i = std::size_t(blockIdx.x) * THREADS + threadIdx.x;

    double a = 0, b = 0;  // two sums, so that two loads are on their way
    for (; i + step < n; i += 2 * step) {
        a += in[i];
        b += in[i + step];
    }
    if (i < n) a += in[i];

    part[threadIdx.x] = a + b;
    tree(part);
    if (threadIdx.x == 0) partials[blockIdx.x] = part[0];
}

// Second pass. One block, one thread for each partial sum.
__global__ void sum_of_partials(const double* partials, double* out) {
    extern __shared__ double fromBlocks[];
    fromBlocks[threadIdx.x] = partials[threadIdx.x];
    tree(fromBlocks);
    if (threadIdx.x == 0) *out = fromBlocks[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partials = nullptr;
    if (partials == nullptr) cudaMalloc(&partials, MAX_PARTIALS * sizeof(double));

    // at least one block, so that n == 0 gives 0
    const std::size_t wanted = std::max<std::size_t>(1, (n + 4 * THREADS - 1) / (4 * THREADS));
    const int blocks = (int)std::min<std::size_t>(wanted, MAX_PARTIALS);

    partial_sums<<<blocks, THREADS>>>(in, n, partials);
    sum_of_partials<<<1, blocks, blocks * sizeof(double)>>>(partials, out);
}

void reduce_max(const float*, std::size_t, float*) {
    // TODO
}

void reduce_cubes(const int*, std::size_t, long long*) {
    // TODO
}

void reduce_nested(const int*, std::size_t, long long*) {
    // TODO
}
