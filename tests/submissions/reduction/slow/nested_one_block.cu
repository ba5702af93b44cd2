// expect: nested=accepted
// One block launches itself on the next piece, over and over: a chain in which nothing is parallel
// but the block.
#include "interface.cuh"

constexpr unsigned threads = 1024;
constexpr std::size_t piece = 16 * threads;

__global__ void next_piece(const int* in, std::size_t n, std::size_t start, long long sum, long long* out) {
    __shared__ long long part[threads];
    long long mine = 0;
    for (std::size_t i = start + threadIdx.x; i < n && i < start + piece; i += threads) mine += in[i];
    part[threadIdx.x] = mine;
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    }
    if (threadIdx.x != 0) return;
    sum += part[0];
    if (start + piece < n)
        next_piece<<<1, threads, 0, cudaStreamTailLaunch>>>(in, n, start + piece, sum, out);
    else
        *out = sum;
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    next_piece<<<1, threads>>>(in, n, 0, 0, out);
}
