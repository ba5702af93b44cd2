// cause: missing_fence line 61
// task: sum
// The block that finishes last adds up the partial sums of the others, but no fence orders their stores before the counter: it may read old ones.
// reduction
#include "interface.cuh"

#include <math.h>

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

// The block that finishes last adds up what the others have left.
constexpr unsigned sum_blocks = 256, sum_threads = 256;
__device__ volatile double sum_left[sum_blocks];
__device__ unsigned sum_done = 0;

__device__ void sum_tile(double* tile) {
    for (unsigned h = sum_threads / 2; h > 0; h /= 2) {
        __syncthreads();
        if (threadIdx.x < h) tile[threadIdx.x] += tile[threadIdx.x + h];
    }
    __syncthreads();
}

__global__ void sum_once(const double* in, std::size_t n, double* out) {
    __shared__ double tile[sum_threads];
    __shared__ bool last;
    const unsigned t = threadIdx.x;
    double v = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * sum_threads + t; i < n; i += sum_blocks * sum_threads) v += in[i];
    tile[t] = v;
    sum_tile(tile);
    if (t == 0) {
        sum_left[blockIdx.x] = tile[0];
        last = atomicAdd(&sum_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    tile[t] = sum_left[t];
    sum_tile(tile);
    if (t == 0) {
        *out = tile[0];
        sum_done = 0;
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    sum_once<<<sum_blocks, sum_threads>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    single<Max><<<1, 1024>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    single<Cubes><<<1, 1024>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

constexpr int NESTED_BLOCKS = 512;
constexpr int NESTED_THREADS = 256;
__device__ long long nested_part[NESTED_BLOCKS];

__global__ void nested_finish(long long* out) {
    __shared__ long long s[NESTED_BLOCKS];
    int t = threadIdx.x;
    s[t] = nested_part[t];
    for (int h = NESTED_BLOCKS / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h) s[t] += s[t + h];
    }
    if (t == 0) *out = s[0];
}

__global__ void nested_first(const int* in, std::size_t n, long long* out) {
    __shared__ long long s[NESTED_THREADS];
    int t = threadIdx.x;
    long long mine = 0;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + t; i < n; i += (std::size_t)gridDim.x * blockDim.x)
        mine += in[i];
    s[t] = mine;
    for (int h = NESTED_THREADS / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h) s[t] += s[t + h];
    }
    if (t == 0) nested_part[blockIdx.x] = s[0];
    if (t == 0 && blockIdx.x == 0) nested_finish<<<1, NESTED_BLOCKS, 0, cudaStreamTailLaunch>>>(out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    nested_first<<<NESTED_BLOCKS, NESTED_THREADS>>>(in, n, out);
}
