// cause: accumulator_too_narrow line 45
// task: sum
// Each thread adds up its doubles in a float, so digits are lost; shows for nearly every n above 0.
#include "interface.cuh"
#include <cuda_runtime.h>
#include <cmath>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

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

__global__ void sum_groups(const double* in, std::size_t n, double* out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ double sums[8];
    float mine = 0;
    for (std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x; i < n; i += (std::size_t)gridDim.x * 256)
        mine += in[i];
    double v = mine;
    for (int d = 16; d > 0; d /= 2) v += warp.shfl_down(v, d);
    if (warp.thread_rank() == 0) sums[threadIdx.x / 32] = v;
    block.sync();
    if (threadIdx.x == 0) {
        double all = 0;
        for (int w = 0; w < 8; w++) all += sums[w];
        atomicAdd(out, all);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemsetAsync(out, 0, sizeof *out);
    unsigned blocks = n / 2048 < 1000 ? n / 2048 + 1 : 1000;
    sum_groups<<<blocks, 256>>>(in, n, out);
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
