// cause: in_place line 61
// task: nested
// Neighbours are added in place: thread i writes element i while another thread or block has yet to read it; n above 2.
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

void reduce_max(const float* in, std::size_t n, float* out) {
    single<Max><<<1, 1024>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    single<Cubes><<<1, 1024>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

__global__ void fold(long long* a, std::size_t n, long long* out) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    std::size_t half = (n + 1) / 2;
    if (i < half) {
        long long v = a[2 * i];
        if (2 * i + 1 < n) v += a[2 * i + 1];
        a[i] = v;
        if (half == 1) *out = v;
    }
    if (i == 0 && half > 1) fold<<<(half + 255) / 256, 256, 0, cudaStreamTailLaunch>>>(a, half, out);
}

__global__ void widen(const int* in, std::size_t n, long long* a, long long* out) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = in[i];
    if (i == 0) {
        if (n == 0) *out = 0;
        else fold<<<((n + 1) / 2 + 255) / 256, 256, 0, cudaStreamTailLaunch>>>(a, n, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* copy = nullptr;   // the input must stay as it is
    static std::size_t size = 0;
    if (n > size) {
        cudaFree(copy);
        cudaMalloc(&copy, n * sizeof(long long));
        size = n;
    }
    widen<<<n / 256 + 1, 256>>>(in, n, copy, out);
}
