// cause: uninitialised_output line 11 or 12
// task: scatter
// The barrier waits only for the own block, so that other blocks add to totals that are yet to be cleared.
#include "interface.cuh"

__global__ void scatterKernel(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                              std::size_t m, std::int64_t* total) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;

    // first all totals are set to zero
    if (i < m) total[i] = 0;
    __syncthreads();

    // then every thread adds its own value. atomicAdd has no long long, but unsigned is the same
    // in two's complement
    if (i < n) {
        long long v = value[i];
        atomicAdd((unsigned long long*)&total[target[i]], (unsigned long long)v);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    // enough threads for the values and for the totals
    std::size_t threads = n > m ? n : m;
    int blockSize = 256;
    int gridSize = (int)((threads + blockSize - 1) / blockSize);
    scatterKernel<<<gridSize, blockSize>>>(value, target, n, m, total);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}
