// cause: launched_by_every_block? line 79
// task: nested
// Each block launches the kernel that adds the partial sums to *out, so the result is too large by the number of blocks (more than one from n = 256 on).
#include <cmath>
#include "interface.cuh"

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

const unsigned LEAVES = 256;

__device__ void add_halves(long long* s) {
    for (unsigned h = LEAVES / 2; h > 0; h /= 2) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    }
}

__global__ void add_parts(const long long* part, unsigned count, long long* out) {
    __shared__ long long s[LEAVES];
    s[threadIdx.x] = threadIdx.x < count ? part[threadIdx.x] : 0;
    add_halves(s);
    if (threadIdx.x == 0) *out += s[0];
}

__global__ void leaves(const int* in, std::size_t n, long long* part, long long* out) {
    __shared__ long long s[LEAVES];
    long long sum = 0;
    for (std::size_t i = (std::size_t)blockIdx.x * LEAVES + threadIdx.x; i < n; i += (std::size_t)gridDim.x * LEAVES) sum += in[i];
    s[threadIdx.x] = sum;
    add_halves(s);
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
    if (threadIdx.x == 0) {
        *out = 0;
        add_parts<<<1, LEAVES, 0, cudaStreamTailLaunch>>>(part, gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* part = nullptr;
    if (part == nullptr) cudaMalloc(&part, LEAVES * sizeof(long long));
    unsigned blocks = n / LEAVES < LEAVES ? unsigned(n / LEAVES + 1) : LEAVES;
    leaves<<<blocks, LEAVES>>>(in, n, part, out);
}
