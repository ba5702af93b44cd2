// cause: float_bits_order? line 47
// task: max
// atomicMax on the bits of the floats as ints: among negative floats the order of the bits is reversed, so all-negative inputs give minus infinity.
#include "interface.cuh"
#include <cuda_runtime.h>
#include <cmath>

struct Sum {
    using Acc = double;
    static __device__ Acc start() { return 0; }
    static __device__ Acc load(double x) { return x; }
    static __device__ Acc join(Acc a, Acc b) { return a + b; }
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

void reduce_sum(const double* in, std::size_t n, double* out) {
    single<Sum><<<1, 1024>>>(in, n, out);
}

__global__ void set_lowest(float* out) { *out = -INFINITY; }

// there is no atomicMax for floats: work on their bits
__device__ void max_into(float* out, float v) {
    const int bits = __float_as_int(v);
    atomicMax(reinterpret_cast<int*>(out), bits);
}

__global__ void max_blocks(const float* x, std::size_t n, float* out) {
    __shared__ float of_warp[8];
    float v = -INFINITY;
    for (std::size_t i = std::size_t(blockIdx.x) * 256 + threadIdx.x; i < n; i += std::size_t(gridDim.x) * 256)
        v = fmaxf(v, x[i]);
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) v = fmaxf(v, of_warp[w]);
        max_into(out, v);
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    set_lowest<<<1, 1>>>(out);
    const std::size_t blocks = n / 4096 + 1;
    max_blocks<<<unsigned(blocks < 2048 ? blocks : 2048), 256>>>(in, n, out);
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
