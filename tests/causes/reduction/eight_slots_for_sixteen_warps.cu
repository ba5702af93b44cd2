// cause: array_too_small line 50
// task: cubes
// A block of 512 threads has 16 warps, but the shared array has a place for 8 of them only; out of bounds for every n.
#include <cmath>
#include "interface.cuh"

struct Sum {
    using Acc = double;
    static __device__ Acc start() { return 0; }
    static __device__ Acc load(double x) { return x; }
    static __device__ Acc join(Acc a, Acc b) { return a + b; }
};

struct Max {
    using Acc = float;
    static __device__ Acc start() { return -INFINITY; }
    static __device__ Acc load(float x) { return x; }
    static __device__ Acc join(Acc a, Acc b) { return a < b ? b : a; }
};

// a single block for all of it: not fast, but there is nothing to combine
template <class Op, class In>
__global__ void __launch_bounds__(1024) single(const In* in, std::size_t n, typename Op::Acc* out) {
    __shared__ typename Op::Acc warps[32];
    auto v = Op::start();
    for (std::size_t i = threadIdx.x; i < n; i += 1024) v = Op::join(v, Op::load(in[i]));
    for (int d = 16; d > 0; d /= 2) v = Op::join(v, __shfl_down_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 32; w++) v = Op::join(v, warps[w]);
        *out = v;
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    single<Sum><<<1, 1024>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    single<Max><<<1, 1024>>>(in, n, out);
}

__device__ unsigned long long add_lanes(unsigned long long v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void cube_blocks(const int* x, std::size_t n, unsigned long long* out) {
    __shared__ unsigned long long of_warp[8];
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    unsigned long long v = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned long long y = x[i];
        v += y * y * y;
    }
    v = add_lanes(v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = add_lanes(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof(long long));
    const unsigned blocks = n > 1000000 ? 528 : unsigned(n / 2048 + 1);
    cube_blocks<<<blocks, 512>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

// in -> to -> spare -> to -> ... until one block is left
template <class T>
__global__ void level(const T* in, std::size_t n, long long* to, long long* spare, long long* out) {
    __shared__ long long s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t != 0) return;
    if (gridDim.x == 1) {
        *out = s[0];
        return;
    }
    to[blockIdx.x] = s[0];
    if (blockIdx.x == 0)
        level<<<(gridDim.x + 255) / 256, 256, 0, cudaStreamTailLaunch>>>((const long long*)to, gridDim.x, spare, to, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* scratch = nullptr;
    static std::size_t capacity = 0;
    const std::size_t blocks = n == 0 ? 1 : (n + 255) / 256;
    if (2 * blocks > capacity) {
        cudaFree(scratch);
        cudaMalloc(&scratch, 2 * blocks * sizeof(long long));
        capacity = 2 * blocks;
    }
    level<<<(unsigned)blocks, 256>>>(in, n, scratch, scratch + blocks, out);
}
