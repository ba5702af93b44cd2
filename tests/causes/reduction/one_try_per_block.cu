// cause: no_retry line 11
// task: max
// A block whose compare-and-swap fails because another block was there first does not try again, so its maximum is lost.
#include "interface.cuh"
#include <cfloat>
#include <cmath>

__device__ void float_atomic_max(float* address, float value) {
    int* word = reinterpret_cast<int*>(address);
    int seen = __float_as_int(-INFINITY);   // this is what lies there at the beginning
    if (__int_as_float(seen) < value) {
        seen = atomicCAS(word, seen, __float_as_int(value));
    }
}

__global__ void set_to(float* address, float value) {
    *address = value;
}

template <int THREADS>
__global__ void block_max(const float* data, size_t count, float* result) {
    __shared__ float best[THREADS];
    // consecutive pieces of equal length, one for each block
    size_t piece = (count + gridDim.x - 1) / gridDim.x;
    size_t from = piece * blockIdx.x;
    size_t to = from + piece;
    if (to > count) to = count;

    float m = -INFINITY;
    for (size_t i = from + threadIdx.x; i < to; i += THREADS) m = fmaxf(m, data[i]);
    best[threadIdx.x] = m;

#pragma unroll
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + stride]);
    }

    if (threadIdx.x == 0) float_atomic_max(result, best[0]);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    set_to<<<1, 1>>>(out, -INFINITY);
    if (n > 0) {
        int blocks = n < 10000 ? 4 : 256;
        block_max<256><<<blocks, 256>>>(in, n, out);
    }
}
