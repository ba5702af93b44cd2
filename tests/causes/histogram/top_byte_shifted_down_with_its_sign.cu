// cause: signed_byte line 20 or 16
// task: bytes
// Four bytes are taken out of a signed int; the top one is shifted down with its sign, so a byte above 127 at such a place counts in a bin before the table.
#include "interface.cuh"

// Bytes are loaded sixteen at a time. Each block has several copies of the histogram, and
// neighbouring lanes use different ones, so that equal bytes do not all queue for one counter.

constexpr int kBins = 256;
constexpr int kCopies = 8;
constexpr int kThreads = 256;
constexpr unsigned kMaxBlocks = 48;

#define COUNT(byte) atomicAdd(&mine[(byte) * kCopies], 1u)

__device__ __forceinline__ void count_word(unsigned* mine, int word) {
    COUNT(word & 255);
    COUNT((word >> 8) & 255);
    COUNT((word >> 16) & 255);
    COUNT(word >> 24);
}

__device__ void clear_copies(unsigned* table) {
    for (int i = threadIdx.x; i < kBins * kCopies; i += kThreads) table[i] = 0;
}

__device__ void merge_copies(const unsigned* table, unsigned* bins) {
    for (int b = threadIdx.x; b < kBins; b += kThreads) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < kCopies; ++c) sum += table[b * kCopies + c];
        if (sum != 0) atomicAdd(&bins[b], sum);
    }
}

__global__ void __launch_bounds__(kThreads)
    byte_kernel(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned table[kBins * kCopies];
    clear_copies(table);
    __syncthreads();

    unsigned* mine = table + threadIdx.x % kCopies;
    const std::size_t me = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;

    // whole groups of 16
    const int4* wide = reinterpret_cast<const int4*>(in);
    const std::size_t groups = n / sizeof(int4);
    for (std::size_t g = me; g < groups; g += step) {
        const int4 q = wide[g];
        count_word(mine, q.x);
        count_word(mine, q.y);
        count_word(mine, q.z);
        count_word(mine, q.w);
    }

    // and the last 0 to 15 one by one
    const std::size_t rest = groups * sizeof(int4) + me;
    if (rest < n) COUNT(in[rest]);

    __syncthreads();
    merge_copies(table, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, kBins * sizeof(unsigned));
    if (n == 0) return;
    const std::size_t per_block = kThreads * sizeof(int4) * 4;
    std::size_t blocks = (n + per_block - 1) / per_block;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    byte_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(in, n, bins);
}
