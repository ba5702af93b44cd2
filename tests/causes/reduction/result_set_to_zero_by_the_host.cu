// cause: device_pointer_on_host line 45
// task: cubes
// the host assigns 0 to *out, which lies in device memory: crashes in every case
#include "interface.cuh"

#define BLOCK 512

typedef long long int64;

static __device__ int64 cube(int x) {
    int64 y = x;  // widen first, 1291^3 does not fit in an int
    return y * y * y;
}

// Sum of cubes. Every thread walks through the array with the stride of the
// grid, then the block makes a tree in shared memory (by halves), then one
// atomic per block.
__global__ void cubes_kernel(const int* in, size_t n, int64* out) {
    __shared__ int64 cache[BLOCK];
    unsigned t = threadIdx.x;

    int64 acc = 0;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    while (i < n) {
        acc += cube(in[i]);
        i += (size_t)gridDim.x * BLOCK;
    }
    cache[t] = acc;
    __syncthreads();

    for (unsigned half = BLOCK / 2; half != 0; half >>= 1) {
        if (t < half)
            cache[t] += cache[t + half];
        __syncthreads();
    }

    if (t == 0) {
        // atomicAdd knows unsigned long long only; two's complement, so
        // the bits are the same
        atomicAdd((unsigned long long*)out, (unsigned long long)cache[0]);
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    *out = 0;  // the blocks add to it
    if (n == 0)
        return;

    // at least 16 elements for each thread, at most 528 blocks
    size_t want = (n + BLOCK * 16 - 1) / (BLOCK * 16);
    unsigned grid = want < 528 ? (unsigned)want : 528u;
    cubes_kernel<<<grid, BLOCK>>>(in, n, out);
}

// not yet
void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
