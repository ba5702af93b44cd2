// cause: uninitialised_output line 57
// task: sum
// Blocks add their sums to *out by atomics, but nobody has set it to zero: the result is the sum plus garbage, for every n.
#include <cmath>
#include "interface.cuh"

struct Max {
    using Acc = float;
    static __device__ Acc start() { return -INFINITY; }
    static __device__ Acc load(float x) { return x; }
    static __device__ Acc join(Acc a, Acc b) { return a < b ? b : a; }
};

struct Cubes {
    using Acc = unsigned long long;
    static __device__ Acc start() { return 0; }
    static __device__ Acc load(int x) { const Acc y = x; return y * y * y; }
    static __device__ Acc load(Acc y) { return y; }
    static __device__ Acc join(Acc a, Acc b) { return a + b; }
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

__device__ double warp_total(double v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void sum_blocks(const double* __restrict__ x, std::size_t n, double* out) {
    __shared__ double of_warp[8];
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    double v = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) v += x[i];
    v = warp_total(v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_total(threadIdx.x < 8 ? of_warp[threadIdx.x] : 0.0);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    const std::size_t wanted = n / 1024 + 1;  // about four elements per thread
    sum_blocks<<<wanted < 1024 ? unsigned(wanted) : 1024u, 256>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    single<Max><<<1, 1024>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    single<Cubes><<<1, 1024>>>(in, n, reinterpret_cast<unsigned long long*>(out));
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
