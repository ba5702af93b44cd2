// expect: max=accepted
// One launch: a counter tells the block that finishes last to reduce the partial results of all.
#include "interface.cuh"

constexpr unsigned blocks = 96, threads = 192;  // six warps: nothing here needs a power of two
__device__ float partial[blocks];
__device__ unsigned done = 0;

__device__ float block_max(float value) {
    __shared__ float of_warp[threads / 32];
    for (int d = 1; d < 32; d *= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    for (const float v : of_warp) value = fmaxf(value, v);
    return value;
}

__global__ void reduce(const float* in, std::size_t n, float* out) {
    float value = -INFINITY;
    for (std::size_t i = blockIdx.x * threads + threadIdx.x; i < n; i += blocks * threads)
        value = fmaxf(value, in[i]);
    value = block_max(value);
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();
        last = atomicAdd(&done, 1) == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    const volatile float* results = partial;
    value = block_max(threadIdx.x < blocks ? results[threadIdx.x] : -INFINITY);
    if (threadIdx.x == 0) {
        *out = value;
        done = 0;
    }
}

void reduce_max(const float* in, std::size_t n, float* out) { reduce<<<blocks, threads>>>(in, n, out); }
