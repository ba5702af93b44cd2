// cause: in_place line 30
// task: nested
// A child writes its blocks' sums to the array that it reads: a block overwrites a number that block 0 of the child may not have read yet.
#include "interface.cuh"

#define B 32

// One level of the tree: each block adds up B numbers. A single block has the result; otherwise the
// sums of the blocks go to sums, and the next level takes it from there.
template <typename T>
__global__ void level(const T* in, size_t n, long long* sums, long long* spare, long long* out) {
    __shared__ long long s[B];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * B + t;
    s[t] = i < n ? (long long)in[i] : 0;
    __syncthreads();

    for (unsigned half = B / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }

    if (t == 0) {
        if (gridDim.x == 1) {
            *out = s[0];
        } else {
            sums[blockIdx.x] = s[0];
            if (blockIdx.x == 0) {
                unsigned blocks = (gridDim.x + B - 1) / B;
                level<<<blocks, B, 0, cudaStreamTailLaunch>>>(sums, gridDim.x, sums, spare, out);
            }
        }
    }
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* scratch = 0;
    static size_t room = 0;

    size_t blocks = n == 0 ? 1 : (n + B - 1) / B;
    if (blocks > room) {
        if (scratch) cudaFree(scratch);
        cudaMalloc(&scratch, 2 * blocks * sizeof(long long));
        room = blocks;
    }
    level<int><<<(unsigned)blocks, B>>>(in, n, scratch, scratch + blocks, out);
}
