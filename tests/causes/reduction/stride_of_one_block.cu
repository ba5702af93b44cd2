// cause: wrong_stride line 58
// task: cubes
// The loop goes on by one block instead of by the whole grid, so elements are added by every block before them too: n above 256.
#include "interface.cuh"
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

__global__ void cube_sum(const int* a, std::size_t n, unsigned long long* out)
{
    __shared__ unsigned long long total[256];
    unsigned long long mine = 0;
    for (std::size_t j = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; j < n; j += blockDim.x) {
        unsigned long long x = a[j];
        mine += x * x * x;
    }
    total[threadIdx.x] = mine;
    __syncthreads();
    for (int w = 128; w >= 1; w /= 2) {
        if (threadIdx.x < w) total[threadIdx.x] += total[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, total[0]);
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    cudaMemset(out, 0, sizeof(long long));
    int blocks = n < 256 * 256 ? (int)(n / 256) + 1 : 256;
    cube_sum<<<blocks, 256>>>(in, n, (unsigned long long*)out);
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
