// cause: child_not_in_tail line 42
// task: nested
// The next level is started beside its parent, whose other blocks may not have written their partial sums yet: wrong with two or more blocks.
#include "interface.cuh"

constexpr int T = 256;
constexpr int PER_THREAD = 8;
constexpr int PER_BLOCK = T * PER_THREAD;

__device__ long long* space;    // room for the partial sums of all levels

template <typename Number>
__device__ long long block_sum(const Number* in, std::size_t n) {
    __shared__ long long s[T];
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * PER_BLOCK + threadIdx.x;
    long long sum = 0;
    for (int k = 0; k < PER_THREAD; ++k) {
        const std::size_t i = first + k * T;
        if (i < n) sum += in[i];
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    return s[0];
}

template <typename Number>
__global__ void level(const Number* in, std::size_t n, long long* partial, long long* out) {
    const long long sum = block_sum(in, n);
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = sum;
        return;
    }
    partial[blockIdx.x] = sum;
    // the last block starts the next level
    if (blockIdx.x == gridDim.x - 1) {
        const unsigned blocks = (gridDim.x + PER_BLOCK - 1) / PER_BLOCK;
        level<long long><<<blocks, T, 0, cudaStreamFireAndForget>>>(partial, gridDim.x, partial + gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* partial = nullptr;
    static std::size_t capacity = 0;
    const std::size_t blocks = n == 0 ? 1 : (n + PER_BLOCK - 1) / PER_BLOCK;
    if (2 * blocks + 64 > capacity) {
        if (partial) cudaFree(partial);
        capacity = 2 * blocks + 64;
        cudaMalloc(&partial, capacity * sizeof(long long));
    }
    level<int><<<static_cast<unsigned>(blocks), T>>>(in, n, partial, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
