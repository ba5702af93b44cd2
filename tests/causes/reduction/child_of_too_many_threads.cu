// cause: launch_refused line 96
// task: nested
// The child gets one thread for each partial sum, up to 2048: more than 1024 are refused, so *out stays unwritten from n = 262144 on.
// reduction
#include "interface.cuh"

#include <math.h>

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

void reduce_max(const float* in, std::size_t n, float* out) {
    twice<Max>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    twice<Cubes>(in, n, out);
}

__device__ long long warp_add(long long v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__device__ long long block_add(long long v) {   // right in thread 0
    __shared__ long long of_warp[32];
    if (threadIdx.x < 32) of_warp[threadIdx.x] = 0;
    __syncthreads();
    v = warp_add(v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    return threadIdx.x < 32 ? warp_add(of_warp[threadIdx.x]) : 0;
}

__global__ void finish(const long long* parts, unsigned count, long long* out) {
    long long v = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) v += parts[i];
    v = block_add(v);
    if (threadIdx.x == 0) *out = v;
}

__global__ void start(const int* in, std::size_t n, long long* parts, long long* out) {
    long long v = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * 256 + threadIdx.x; i < n; i += std::size_t(gridDim.x) * 256) v += in[i];
    v = block_add(v);
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = v;
    if (blockIdx.x == 0) finish<<<1, (gridDim.x + 31) / 32 * 32, 0, cudaStreamTailLaunch>>>(parts, gridDim.x, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* parts = nullptr;
    if (!parts) cudaMalloc(&parts, 2048 * sizeof(long long));
    const std::size_t blocks = n / 256 + 1;
    start<<<unsigned(blocks < 2048 ? blocks : 2048), 256>>>(in, n, parts, out);
}
