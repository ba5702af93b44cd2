// cause: device_pointer_on_host line 75
// task: cubes
// The host writes *out = 0 through a device pointer: it crashes in every call.
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

typedef unsigned long long u64;

__global__ void addCubes(const int* in, std::size_t n, u64* out) {
    __shared__ u64 block_sum;
    if (threadIdx.x == 0) block_sum = 0;
    __syncthreads();
    u64 sum = 0;
    std::size_t total_threads = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += total_threads) {
        u64 x = in[i];
        sum += x * x * x;
    }
    // the few threads of a block may queue in shared memory
    atomicAdd(&block_sum, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, block_sum);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    *out = 0;
    unsigned blocks = n > 65536 ? 256 : (unsigned)(n / 256 + 1);
    addCubes<<<blocks, 256>>>(in, n, (u64*)out);
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
