// cause: wrong_element line 48
// task: bytes
// The bytes after the last whole uint4 are taken from in + vectors, but that counts bytes and not vectors: the wrong
// bytes are counted when n is no multiple of 16.
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 12;

__device__ __forceinline__ void countWord(unsigned int w, unsigned int* h) {
    atomicAdd(&h[w & 0xFFu], 1u);
    atomicAdd(&h[(w >> 8) & 0xFFu], 1u);
    atomicAdd(&h[(w >> 16) & 0xFFu], 1u);
    atomicAdd(&h[w >> 24], 1u);
}

// v: whole vectors of 16 bytes, rest: what is left over (fewer than 16 bytes, done by block 0)
__global__ void countBytes(const uint4* __restrict__ v, std::size_t vectors, const unsigned char* __restrict__ rest,
                           int restCount, unsigned int* bins) {
    __shared__ unsigned int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    std::size_t step = (std::size_t)gridDim.x * kThreads;
    for (std::size_t i = (std::size_t)blockIdx.x * kThreads + threadIdx.x; i < vectors; i += step) {
        uint4 q = v[i];
        countWord(q.x, h);
        countWord(q.y, h);
        countWord(q.z, h);
        countWord(q.w, h);
    }
    if (blockIdx.x == 0 && (int)threadIdx.x < restCount) atomicAdd(&h[rest[threadIdx.x]], 1u);
    __syncthreads();

    unsigned int c = h[threadIdx.x];
    if (c > 0) atomicAdd(&bins[threadIdx.x], c);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    const std::size_t vectors = n / sizeof(uint4);
    const int restCount = (int)(n % sizeof(uint4));
    int blocks = vectors < (std::size_t)kThreads * kBlocks ? 1 : kBlocks;
    countBytes<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(in), vectors, in + vectors, restCount, bins);
}
