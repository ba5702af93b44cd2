// cause: tail_ignored line 62
// task: max
// Elements are loaded four at a time and the last n % 4 ones are never looked at; shows if the largest is among them.
// reduction
#include "interface.cuh"

#include <math.h>

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

template <class Op, class In>
__global__ void tree(const In* in, std::size_t n, typename Op::Acc* out) {
    __shared__ typename Op::Acc s[256];
    const unsigned t = threadIdx.x;
    typename Op::Acc mine = Op::start();
    for (std::size_t i = std::size_t(blockIdx.x) * 256 + t; i < n; i += std::size_t(gridDim.x) * 256)
        mine = Op::join(mine, Op::load(in[i]));
    s[t] = mine;
    __syncthreads();
    for (unsigned h = 128; h > 0; h /= 2) {
        if (t < h) s[t] = Op::join(s[t], s[t + h]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

// once over the data, once over what the blocks leave
template <class Op, class In, class Out> void twice(const In* in, std::size_t n, Out* out) {
    using Acc = typename Op::Acc;
    static Acc* left = nullptr;
    if (left == nullptr) cudaMalloc(&left, 512 * sizeof(Acc));
    tree<Op><<<512, 256>>>(in, n, left);
    tree<Op><<<1, 256>>>(left, 512, reinterpret_cast<Acc*>(out));
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    twice<Sum>(in, n, out);
}

__global__ void max4(const float* in, std::size_t n, float* part) {
    __shared__ float s[256];
    const float4* in4 = reinterpret_cast<const float4*>(in);
    const std::size_t id = std::size_t(blockIdx.x) * 256 + threadIdx.x;
    const std::size_t step = std::size_t(gridDim.x) * 256;
    float m = -INFINITY;
    for (std::size_t i = id; i < n / 4; i += step) {
        const float4 q = in4[i];
        m = fmaxf(m, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
    }
    s[threadIdx.x] = m;
    for (unsigned h = 128; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

void reduce_max(const float* in, std::size_t n, float* out) {
    static float* part = nullptr;
    if (part == nullptr) cudaMalloc(&part, 1024 * sizeof(float));
    max4<<<1024, 256>>>(in, n, part);
    max4<<<1, 256>>>(part, 1024, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    twice<Cubes>(in, n, out);
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
