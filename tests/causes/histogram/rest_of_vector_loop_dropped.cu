// cause: tail_ignored line 27
// task: bytes
// Bytes are loaded 16 at a time and the n % 16 bytes at the end are never counted: wrong whenever n is not a multiple of 16.
#include "interface.cuh"

__device__ __forceinline__ void addWord(unsigned int* s, unsigned int w) {
    atomicAdd(&s[w & 0xFF], 1u);
    atomicAdd(&s[(w >> 8) & 0xFF], 1u);
    atomicAdd(&s[(w >> 16) & 0xFF], 1u);
    atomicAdd(&s[w >> 24], 1u);
}

__global__ void hist16(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int s[256];
    if (threadIdx.x < 256) s[threadIdx.x] = 0;
    __syncthreads();

    const uint4* v = reinterpret_cast<const uint4*>(in);
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n / 16; i += stride) {
        uint4 q = v[i];
        addWord(s, q.x);
        addWord(s, q.y);
        addWord(s, q.z);
        addWord(s, q.w);
    }
    __syncthreads();

    if (threadIdx.x < 256) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    hist16<<<132, 512>>>(in, n, bins);
}

__global__ void fill_zero(unsigned* p, unsigned m) {
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        p[k] = 0;
}

__global__ void scatter_count(const unsigned* v, std::size_t n, unsigned* p) {
    const std::size_t hop = std::size_t(blockDim.x) * gridDim.x;
    std::size_t k = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x;
    while (k < n) {
        atomicAdd(p + v[k], 1u);
        k += hop;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    fill_zero<<<32, 256>>>(bins, bin_count);
    scatter_count<<<200, 192>>>(in, n, bins);
}
