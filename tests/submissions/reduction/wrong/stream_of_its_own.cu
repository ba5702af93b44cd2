// expect: sum=wrong_answer|nondeterministic
// The blocks' sums are made in a stream that the default stream does not wait for, and added up in
// the default stream.
#include "interface.cuh"

constexpr unsigned threads = 256, most_blocks = 128;

__device__ double block_sum(double value) {
    __shared__ double part[threads];
    part[threadIdx.x] = value;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    return part[0];
}

__global__ void sum_pieces(const double* in, std::size_t n, double* sums) {
    double mine = 0;
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += stride) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = mine;
}

__global__ void sum_sums(const double* sums, double* out) {
    const double sum = block_sum(threadIdx.x < most_blocks ? sums[threadIdx.x] : 0);
    if (threadIdx.x == 0) *out = sum;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    double* sums;
    cudaStream_t stream;
    cudaMalloc(&sums, most_blocks * sizeof *sums);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sum_pieces<<<most_blocks, threads, 0, stream>>>(in, n, sums);
    sum_sums<<<1, threads>>>(sums, out);
    cudaStreamDestroy(stream);
    cudaFree(sums);
}
