// cause: child_not_in_tail line 35
// task: nested
// The next level is launched by block 0 without the tail stream, so it may read the partial sums of blocks that have not written them yet; shows from two blocks on.
#include "interface.cuh"

#define T 256
#define PER_BLOCK 2048

// One level of the tree: each block leaves one sum in dst.
template <typename X>
__global__ void level(const X* src, size_t n, long long* dst, long long* other, long long* out) {
    __shared__ long long s[T];
    size_t first = (size_t)blockIdx.x * PER_BLOCK;
    long long a = 0;
    for (int k = threadIdx.x; k < PER_BLOCK; k += T)
        if (first + k < n)
            a += src[first + k];
    s[threadIdx.x] = a;
    __syncthreads();
    for (int h = T / 2; h >= 1; h = h / 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    if (gridDim.x == 1) {
        *out = s[0];
        return;
    }
    dst[blockIdx.x] = s[0];
    // the first block starts the level above
    if (blockIdx.x == 0) {
        unsigned blocks = (gridDim.x + PER_BLOCK - 1) / PER_BLOCK;
        level<long long><<<blocks, T>>>(dst, gridDim.x, other, dst, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* mem = NULL;
    static size_t room = 0;
    size_t blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
    if (blocks == 0) blocks = 1;
    if (blocks > room) {
        cudaFree(mem);
        cudaMalloc(&mem, 2 * blocks * sizeof(long long));
        room = blocks;
    }
    level<int><<<blocks, T>>>(in, n, mem, mem + blocks, out);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    // TODO
}

void reduce_max(const float* in, std::size_t n, float* out) {
    // TODO
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    // TODO
}
