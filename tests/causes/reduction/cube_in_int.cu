// cause: integer_overflow line 52
// task: cubes
// The cube is computed in an int, which overflows from 1291 on.
#include "interface.cuh"
#include <cuda_runtime.h>
#include <cmath>

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

constexpr unsigned cube_grid = 1024, cube_dim = 128;

template <bool cube, class In>
__global__ void cubes_kernel(const In* in, std::size_t n, unsigned long long* to) {
    __shared__ unsigned long long s[cube_dim];
    unsigned long long sum = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * cube_dim + threadIdx.x; i < n; i += std::size_t(gridDim.x) * cube_dim) {
        const In x = in[i];
        sum += cube ? x * x * x : x;
    }
    s[threadIdx.x] = sum;
    for (unsigned h = cube_dim / 2; h > 0; h /= 2) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    }
    if (threadIdx.x == 0) to[blockIdx.x] = s[0];
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    static unsigned long long* parts = nullptr;
    if (parts == nullptr) cudaMalloc(&parts, cube_grid * sizeof(unsigned long long));
    cubes_kernel<true><<<cube_grid, cube_dim>>>(in, n, parts);
    cubes_kernel<false><<<1, cube_dim>>>(parts, cube_grid, (unsigned long long*)out);
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
