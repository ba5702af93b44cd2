// cause: array_too_small or state_kept_between_calls line 56
// task: cubes
// The array of partial sums is allocated once, with the size that the first call needs. A later call
// with a larger n writes beyond its end.
#include "interface.cuh"
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t e_ = (call);                                                        \
        if (e_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

const int THREADS = 256;
const int PER_THREAD = 8;
const int PER_BLOCK = THREADS * PER_THREAD;

struct Cube {
    __device__ static long long of(int x) { long long y = x; return y * y * y; }
};
struct Same {
    __device__ static long long of(long long x) { return x; }
};

// dst[block] = the sum of F(src[i]), i in this block's part
template <class F, class T>
__global__ void pass(const T* src, size_t n, long long* dst, bool everything) {
    __shared__ long long s[THREADS];
    size_t begin = everything ? 0 : (size_t)blockIdx.x * PER_BLOCK;
    size_t end = everything ? n : begin + PER_BLOCK;
    if (end > n) end = n;

    long long acc = 0;
#pragma unroll 4
    for (size_t i = begin + threadIdx.x; i < end; i += THREADS) acc += F::of(src[i]);
    s[threadIdx.x] = acc;

    for (int stride = THREADS / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) dst[blockIdx.x] = s[0];
}

void reduce_cubes(const int* in, size_t n, long long* out) {
    static long long* part = NULL;

    size_t blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
    if (blocks == 0) blocks = 1;

    // allocating is slow, keep the memory for the next call
    if (part == NULL) CHECK(cudaMalloc(&part, blocks * sizeof(long long)));

    pass<Cube, int><<<(unsigned)blocks, THREADS>>>(in, n, part, false);
    CHECK(cudaGetLastError());
    pass<Same, long long><<<1, THREADS>>>(part, blocks, out, true);
    CHECK(cudaGetLastError());
}
