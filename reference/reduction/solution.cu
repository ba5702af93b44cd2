// Model answer. A reduction reads every byte once and computes next to nothing, so it is as fast as
// the memory can be read, and the first three tasks are one kernel with another operation:
//
//   1. Each thread strides over the array with the whole grid. It keeps eight loads of 16 bytes in
//      flight, which hides the latency of DRAM, and combines what it gets in registers.
//   2. Each warp combines its 32 values by shuffles, each block its warps' values through shared
//      memory: a block leaves one partial result.
//   3. The block that finishes last combines the partial results. That saves a second launch, and
//      the result depends on nothing but the size of the grid.
//
// `nested` has 1 and 2 in common with them. Instead of 3 a thread launches the next level for after
// the grid: then all partial results are there, and nobody has to count who has finished.
#include "interface.cuh"

namespace {

constexpr unsigned threads = 512;
constexpr unsigned warps = threads / 32;
constexpr int loads_in_flight = 8;
constexpr unsigned max_blocks = 4096;

// Scratch between the blocks of one launch. Launches in one stream do not overlap.
__device__ unsigned long long partial_results[max_blocks];
__device__ unsigned blocks_done;  // 0 between launches

struct Sum {
    using In = double;
    using Value = double;
    static __device__ Value identity() { return 0; }
    static __device__ Value of(In x) { return x; }
    static __device__ Value combine(Value a, Value b) { return a + b; }
};

struct Max {
    using In = float;
    using Value = float;
    static __device__ Value identity() { return -INFINITY; }
    static __device__ Value of(In x) { return x; }
    static __device__ Value combine(Value a, Value b) { return fmaxf(a, b); }
};

struct Cubes {
    using In = int;
    using Value = unsigned long long;  // wraps where a signed type would be undefined
    static __device__ Value identity() { return 0; }
    static __device__ Value of(In x) {
        const auto v = static_cast<Value>(static_cast<long long>(x));
        return v * v * v;
    }
    static __device__ Value combine(Value a, Value b) { return a + b; }
};

template <class T> struct alignas(16) Vector {
    static constexpr std::size_t size = 16 / sizeof(T);
    T element[size];
};

/// What all threads of the block bring, combined; valid in thread 0.
template <class Op> __device__ typename Op::Value block_reduce(typename Op::Value value) {
    __shared__ typename Op::Value of_warp[warps];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d /= 2)
        value = Op::combine(value, __shfl_down_sync(0xffffffff, value, d));
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < warps ? of_warp[lane] : Op::identity();
        for (int d = warps / 2; d > 0; d /= 2)
            value = Op::combine(value, __shfl_down_sync(0xffffffff, value, d));
    }
    __syncthreads();  // of_warp may be used again
    return value;
}

/// This thread's part of in[0, n), combined.
template <class Op>
__device__ typename Op::Value thread_reduce(const typename Op::In* __restrict__ in, std::size_t n) {
    using Value = typename Op::Value;
    using In = Vector<typename Op::In>;
    const In* vectors = reinterpret_cast<const In*>(in);
    const std::size_t count = n / In::size;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;

    Value value = Op::identity();
    const auto take = [&value](const In& v) {
        for (const auto x : v.element) value = Op::combine(value, Op::of(x));
    };
    std::size_t i = thread;
    for (; i + (loads_in_flight - 1) * stride < count; i += loads_in_flight * stride) {
        In v[loads_in_flight];
        #pragma unroll
        for (int k = 0; k < loads_in_flight; ++k) v[k] = vectors[i + k * stride];
        #pragma unroll
        for (int k = 0; k < loads_in_flight; ++k) take(v[k]);
    }
    for (; i < count; i += stride) take(vectors[i]);
    // What is left after the last whole vector is less than a vector.
    if (thread < n % In::size) value = Op::combine(value, Op::of(in[count * In::size + thread]));
    return value;
}

template <class Op>
__global__ void __launch_bounds__(threads) reduce(const typename Op::In* __restrict__ in,
                                                  std::size_t n, typename Op::Value* out) {
    using Value = typename Op::Value;
    Value value = block_reduce<Op>(thread_reduce<Op>(in, n));

    Value* partial = reinterpret_cast<Value*>(partial_results);
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();  // the partial result must be visible before the count is
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // and wraps to 0
    }
    __syncthreads();
    if (!is_last) return;
    value = Op::identity();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += threads)
        value = Op::combine(value, __ldcg(partial + b));  // past L1, which may be out of date
    value = block_reduce<Op>(value);
    if (threadIdx.x == 0) *out = value;
}

template <class T> struct Add {
    using In = T;
    using Value = long long;
    static __device__ Value identity() { return 0; }
    static __device__ Value of(In x) { return x; }
    static __device__ Value combine(Value a, Value b) { return a + b; }
};

__device__ long long level_results[max_blocks];

/// One partial result per block, and of those the next level makes one.
template <class T>
__global__ void __launch_bounds__(threads) level(const T* in, std::size_t n, long long* out) {
    const long long value = block_reduce<Add<T>>(thread_reduce<Add<T>>(in, n));
    if (threadIdx.x != 0) return;
    (gridDim.x == 1 ? out : level_results)[blockIdx.x] = value;
    if (blockIdx.x == 0 && gridDim.x > 1) {
        level<long long><<<1, threads, 0, cudaStreamTailLaunch>>>(level_results, gridDim.x, out);
    }
}

/// As many blocks as are resident at once, and no more: fewer partial results.
unsigned blocks_for(std::size_t n, std::size_t vector_size) {
    int device = 0, multiprocessors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const std::size_t per_block = threads * loads_in_flight * vector_size;
    const std::size_t needed = n == 0 ? 1 : (n + per_block - 1) / per_block;
    std::size_t full = 4 * static_cast<std::size_t>(multiprocessors);
    if (full > max_blocks) full = max_blocks;
    return static_cast<unsigned>(needed < full ? needed : full);
}

template <class Op>
void launch(const typename Op::In* in, std::size_t n, typename Op::Value* out) {
    reduce<Op><<<blocks_for(n, Vector<typename Op::In>::size), threads>>>(in, n, out);
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) { launch<Sum>(in, n, out); }

void reduce_max(const float* in, std::size_t n, float* out) { launch<Max>(in, n, out); }

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    launch<Cubes>(in, n, reinterpret_cast<unsigned long long*>(out));
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    level<int><<<blocks_for(n, Vector<int>::size), threads>>>(in, n, out);
}
