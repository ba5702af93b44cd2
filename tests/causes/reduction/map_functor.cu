// cause: integer_overflow line 13
// task: cubes
// The square is made in 32 bits and only then widened, so the cubes of numbers beyond 46340 are wrong.
#include "interface.cuh"

#include <cmath>

// One kernel for several reductions: what is done with each element, how two values are combined, and
// what the neutral value is, comes from a struct.
struct SumOfCubes {
    using In = int;
    using Acc = unsigned long long;
    static __device__ Acc map(In x) { return static_cast<long long>(x * x) * x; }
    static __device__ Acc combine(Acc a, Acc b) { return a + b; }
    static __host__ __device__ Acc neutral() { return 0; }
};

struct Maximum {
    using In = float;
    using Acc = float;
    static __device__ Acc map(In x) { return x; }
    static __device__ Acc combine(Acc a, Acc b) { return fmaxf(a, b); }
    static __host__ __device__ Acc neutral() { return -INFINITY; }
};

/// Load: true maps elements of the input, false takes partial results as they are.
template <class Op, bool Load, unsigned Threads, class Src>
__global__ void reduce(const Src* src, std::size_t n, typename Op::Acc* dst) {
    using Acc = typename Op::Acc;
    __shared__ Acc tree[Threads];

    Acc acc = Op::neutral();
    for (std::size_t i = threadIdx.x + std::size_t{Threads} * blockIdx.x; i < n; i += std::size_t{Threads} * gridDim.x) {
        if constexpr (Load)
            acc = Op::combine(acc, Op::map(src[i]));
        else
            acc = Op::combine(acc, src[i]);
    }
    tree[threadIdx.x] = acc;
    __syncthreads();

#pragma unroll
    for (unsigned half = Threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] = Op::combine(tree[threadIdx.x], tree[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) dst[blockIdx.x] = tree[0];
}

template <class Op>
void run(const typename Op::In* in, std::size_t n, typename Op::Acc* out) {
    constexpr unsigned threads = 256, most = 512;
    static typename Op::Acc* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, most * sizeof(typename Op::Acc));
    unsigned blocks = n >= std::size_t{threads} * most ? most : static_cast<unsigned>((n + threads - 1) / threads);
    if (blocks == 0) blocks = 1;
    reduce<Op, true, threads><<<blocks, threads>>>(in, n, partial);
    reduce<Op, false, threads><<<1, threads>>>(partial, blocks, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    run<SumOfCubes>(in, n, reinterpret_cast<unsigned long long*>(out));
}

void reduce_max(const float* in, std::size_t n, float* out) { run<Maximum>(in, n, out); }

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
