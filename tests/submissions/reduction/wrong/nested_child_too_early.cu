// expect: nested=nondeterministic
// expect-gpu: nested=wrong_answer|nondeterministic|accepted
// The kernel that adds the blocks' results is launched to run beside the grid instead of after it.
#include "interface.cuh"

constexpr unsigned threads = 256, most_blocks = 512;

__device__ long long block_sum(long long value) {
    __shared__ long long part[threads];
    part[threadIdx.x] = value;
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    }
    __syncthreads();
    return part[0];
}

__global__ void add_partial(const long long* partial, unsigned count, long long* out) {
    long long sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += threads) sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}

__global__ void sum_blocks(const int* in, std::size_t n, long long* partial, long long* out) {
    long long sum = 0;
    for (std::size_t i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = sum;
    if (blockIdx.x == 0) add_partial<<<1, threads, 0, cudaStreamFireAndForget>>>(partial, gridDim.x, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    const std::size_t needed = n / threads + 1;
    const unsigned blocks = static_cast<unsigned>(needed < most_blocks ? needed : most_blocks);
    long long* partial;
    cudaMalloc(&partial, blocks * sizeof *partial);
    sum_blocks<<<blocks, threads>>>(in, n, partial, out);
    cudaFree(partial);
}
