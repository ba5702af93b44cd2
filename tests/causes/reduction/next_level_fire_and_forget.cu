// cause: child_not_in_tail line 35
// task: nested
// The next level is launched to run at any time from now on, before the other blocks of this level have left their sums.
#include "interface.cuh"

constexpr unsigned THREADS = 256;

// Each block leaves one sum in `sums`; a level of one block has the result. The levels use the two
// buffers in turn.
template <typename T>
__global__ void level(const T* in, std::size_t n, long long* sums, long long* other,
                      long long* out) {
    __shared__ long long s[THREADS];
    const unsigned t = threadIdx.x;
    const std::size_t i = std::size_t(blockIdx.x) * THREADS + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t != 0) return;

    if (gridDim.x == 1) {
        *out = s[0];
        return;
    }
    sums[blockIdx.x] = s[0];
    __threadfence();

    // one thread of the whole grid launches the next level
    if (blockIdx.x == gridDim.x - 1) {
        const unsigned blocks = (gridDim.x + THREADS - 1) / THREADS;
        level<long long><<<blocks, THREADS, 0, cudaStreamFireAndForget>>>(sums, gridDim.x, other, sums, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* buffer = nullptr;
    static std::size_t capacity = 0;

    std::size_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks == 0) blocks = 1;
    if (blocks > capacity) {
        cudaFree(buffer);
        cudaMalloc(&buffer, 2 * blocks * sizeof(long long));
        capacity = blocks;
    }
    level<int><<<unsigned(blocks), THREADS>>>(in, n, buffer, buffer + blocks, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
