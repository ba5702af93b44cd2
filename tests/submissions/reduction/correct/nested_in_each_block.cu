// expect: nested=accepted
// The recursion of the course: in each block the upper half is added to the lower half, and a smaller
// kernel of one block does the same with that. What blocks leave is added by a kernel in the tail,
// which begins when all those chains have ended.
#include "interface.cuh"

constexpr unsigned tile = 1024;

__global__ void add_halves(long long* data, unsigned n, long long* result) {
    const unsigned half = n / 2, t = threadIdx.x;
    data[t] += data[t + half];
    __syncthreads();
    if (t != 0) return;
    if (half == 1)
        *result = data[0];
    else
        add_halves<<<1, half / 2, 0, cudaStreamFireAndForget>>>(data, half, result);
}

__global__ void add_results(const long long* results, unsigned count, long long* out) {
    __shared__ long long part[256];
    long long sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += 256) sum += results[i];
    part[threadIdx.x] = sum;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) *out = part[0];
}

__global__ void start(const int* in, std::size_t n, long long* data, long long* results, long long* out) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * tile;
    long long* mine = data + static_cast<std::size_t>(blockIdx.x) * tile;
    for (unsigned t = threadIdx.x; t < tile; t += blockDim.x) {
        long long sum = 0;
        for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * tile + t; i < n; i += step) sum += in[i];
        mine[t] = sum;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    add_halves<<<1, tile / 2, 0, cudaStreamFireAndForget>>>(mine, tile, results + blockIdx.x);
    if (blockIdx.x == 0)
        add_results<<<1, 256, 0, cudaStreamTailLaunch>>>(results, gridDim.x, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    // A kernel is pending until all that it has launched is complete, and 2048 may be: that is room
    // for 128 chains of ten.
    const std::size_t tiles = n == 0 ? 1 : (n + tile - 1) / tile;
    const unsigned blocks = tiles < 128 ? static_cast<unsigned>(tiles) : 128;
    long long* data;
    cudaMallocAsync(&data, (static_cast<std::size_t>(tile) + 1) * blocks * sizeof *data, 0);
    start<<<blocks, 256>>>(in, n, data, data + static_cast<std::size_t>(tile) * blocks, out);
    cudaFreeAsync(data, 0);
}
