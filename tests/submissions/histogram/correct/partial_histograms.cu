// expect: bytes=accepted
// Without global atomics: each block stores its histogram in a row of scratch memory, and a
// second kernel adds up the columns and writes every bin once.
#include "interface.cuh"

constexpr int kBlocks = 40;

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* partial) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += kBlocks * 256)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    partial[blockIdx.x * 256 + threadIdx.x] = mine[threadIdx.x];
}

__global__ void merge(const unsigned int* partial, unsigned int* bins) {
    unsigned int sum = 0;
    for (int block = 0; block < kBlocks; ++block) sum += partial[block * 256 + threadIdx.x];
    bins[threadIdx.x] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    unsigned int* partial = nullptr;
    cudaMalloc(&partial, kBlocks * 256 * sizeof *partial);
    count<<<kBlocks, 256>>>(in, n, partial);
    merge<<<1, 256>>>(partial, bins);
    cudaFree(partial);
}
