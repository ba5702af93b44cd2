// cause: wrong_stride line 21
// task: map
// The elements of a thread are 8 apart instead of a block size apart, so the threads of a block meet in some elements and never reach others.
#include "interface.cuh"

#define THREADS 128
#define PER_THREAD 8

// Each block works on a section of THREADS * PER_THREAD elements.
__global__ void polynomial(const float* __restrict__ x, size_t n, float c0, float c1, float c2,
                           float c3, float* __restrict__ y) {
    size_t section = (size_t)blockIdx.x * THREADS * PER_THREAD;
    size_t i = section + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        if (i < n) {
            float v = x[i];
            float v2 = v * v;
            y[i] = c0 + c1 * v + c2 * v2 + c3 * v2 * v;
        }
        i += PER_THREAD;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    size_t perBlock = THREADS * PER_THREAD;
    polynomial<<<(n + perBlock - 1) / perBlock, THREADS>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
