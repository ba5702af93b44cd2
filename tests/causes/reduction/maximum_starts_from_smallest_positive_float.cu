// cause: wrong_identity line 14
// task: max
// numeric_limits<float>::min() is the smallest positive number, not the lowest; wrong for only negative numbers, for zeros and for n = 0
#include "interface.cuh"

#include <algorithm>
#include <limits>

namespace {

// The operation and its neutral element in one place, so that the kernel can
// be used for other things than the maximum.
struct Maximum {
    static constexpr float neutral = std::numeric_limits<float>::min();
    __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

constexpr unsigned kThreads = 512;
constexpr unsigned kMaxBlocks = 512;

template <class Op>
__global__ void reduceKernel(const float* data, std::size_t count, float* result) {
    __shared__ float tree[kThreads];
    const Op op;
    const unsigned tid = threadIdx.x;

    float mine = Op::neutral;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
    for (std::size_t k = static_cast<std::size_t>(blockIdx.x) * kThreads + tid; k < count; k += step)
        mine = op(mine, data[k]);

    tree[tid] = mine;
    __syncthreads();

    // halves: 256 with 256, 128 with 128, ...
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (tid < half) tree[tid] = op(tree[tid], tree[tid + half]);
        __syncthreads();
    }
    if (tid == 0) result[blockIdx.x] = tree[0];
}

// One float for each block of the first launch, the same ones in every call.
float* blockResults() {
    static float* memory = nullptr;
    if (memory == nullptr) cudaMalloc(&memory, kMaxBlocks * sizeof(float));
    return memory;
}

}  // namespace

void reduce_max(const float* in, std::size_t n, float* out) {
    const std::size_t wanted = (n + kThreads - 1) / kThreads;
    const unsigned blocks =
        static_cast<unsigned>(std::min<std::size_t>(std::max<std::size_t>(wanted, 1), kMaxBlocks));

    if (blocks == 1) {  // also for n = 0: then nothing is read
        reduceKernel<Maximum><<<1, kThreads>>>(in, n, out);
        return;
    }
    float* partial = blockResults();
    reduceKernel<Maximum><<<blocks, kThreads>>>(in, n, partial);
    reduceKernel<Maximum><<<1, kThreads>>>(partial, blocks, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
