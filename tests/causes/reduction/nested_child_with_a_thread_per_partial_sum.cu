// cause: launch_refused line 77 or 78
// task: nested
// the child gets as many threads as there are partial sums, and a block cannot have more than 1024; *out stays unwritten for n above 262144
#include "interface.cuh"

// *out = the sum of n doubles
void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

// *out = the largest of n floats
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// *out = the sum of the cubes of n ints, in 64 bits
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// Two levels:
//
//   parents   one partial sum for every 256 elements
//   finish    one block, adds up the partial sums; in the tail, when all parents are done

const int PARENT_THREADS = 256;
const int WARP = 32;

__device__ long long sum_of_warp(long long x) {
    x += __shfl_down_sync(0xffffffff, x, 16);
    x += __shfl_down_sync(0xffffffff, x, 8);
    x += __shfl_down_sync(0xffffffff, x, 4);
    x += __shfl_down_sync(0xffffffff, x, 2);
    x += __shfl_down_sync(0xffffffff, x, 1);
    return x;
}

// for any number of whole warps, up to 32
__device__ long long sum_of_block(long long x) {
    __shared__ long long warps[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int warp_count = blockDim.x / WARP;

    x = sum_of_warp(x);
    if (lane == 0) warps[warp] = x;
    __syncthreads();

    if (warp == 0) {
        x = lane < warp_count ? warps[lane] : 0;
        x = sum_of_warp(x);
    }
    return x;
}

__global__ void finish(const long long* partial, unsigned count, long long* out) {
    long long x = 0;
    for (unsigned p = threadIdx.x; p < count; p += blockDim.x) x += partial[p];
    x = sum_of_block(x);
    if (threadIdx.x == 0) *out = x;
}

__host__ __device__ unsigned whole_warps(unsigned threads) {
    return (threads + WARP - 1) / WARP * WARP;
}

__global__ void parent(const int* in, size_t n, long long* partial, long long* out) {
    const size_t i = size_t(blockIdx.x) * PARENT_THREADS + threadIdx.x;

    long long x = i < n ? in[i] : 0;
    x = sum_of_block(x);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x;

        // only one thread of the grid may launch, or there are many children
        if (blockIdx.x == 0) {
            const unsigned threads = whole_warps(gridDim.x);
            finish<<<1, threads, 0, cudaStreamTailLaunch>>>(partial, gridDim.x, out);
        }
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* partial = nullptr;
    static size_t capacity = 0;

    size_t blocks = (n + PARENT_THREADS - 1) / PARENT_THREADS;
    if (blocks == 0) blocks = 1;  // then the sum of nothing comes out, 0
    if (blocks > capacity) {
        cudaFree(partial);
        cudaMalloc(&partial, blocks * sizeof(long long));
        capacity = blocks;
    }
    parent<<<(unsigned)blocks, PARENT_THREADS>>>(in, n, partial, out);
}
