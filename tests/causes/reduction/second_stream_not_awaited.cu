// cause: stream_not_waited_for line 73
// task: sum
// The two halves are summed in two streams; the kernel that combines them runs in the first one and does not wait for the second.
#include "interface.cuh"
#include <cmath>

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

const int SB = 256, ST = 256;

__global__ void sum_half(const double* in, std::size_t n, double* part) {
    __shared__ double s[ST];
    double v = 0;
    for (std::size_t i = (std::size_t)blockIdx.x * ST + threadIdx.x; i < n; i += (std::size_t)gridDim.x * ST) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = ST / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

// one half of the array per stream
void reduce_sum(const double* in, std::size_t n, double* out) {
    static cudaStream_t left, right;
    static double* part = nullptr;
    if (part == nullptr) {
        cudaMalloc(&part, 2 * SB * sizeof(double));
        cudaStreamCreate(&left);
        cudaStreamCreate(&right);
    }
    std::size_t half = n / 2;
    sum_half<<<SB, ST, 0, left>>>(in, half, part);
    sum_half<<<SB, ST, 0, right>>>(in + half, n - half, part + SB);
    sum_half<<<1, ST, 0, left>>>(part, 2 * SB, out);
    cudaStreamSynchronize(left);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    twice<Max>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    twice<Cubes>(in, n, out);
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
