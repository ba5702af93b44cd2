// cause: too_slow line 85
// task: bins
// Each thread reads a contiguous section, so that the lanes of a warp read addresses far apart: right, but slow for large n.
// Histogram with counters of one byte: every thread of a block has all 256 of its own.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr int kThreads = 128;
constexpr int kRounds = 15;  // loads of 16 bytes by each thread before the block adds up

constexpr unsigned kSlice = 12288;

// The counter of a thread for a bin: lanes on banks of their own, warps on bytes of their own.
__device__ unsigned char* counter(unsigned* words, unsigned bin) {
    return reinterpret_cast<unsigned char*>(words) + bin * kThreads + threadIdx.x % 32 * 4 +
           threadIdx.x / 32;
}

__device__ void count_word(unsigned* words, unsigned w) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        ++*counter(words, w & 0xff);
        w >>= 8;
    }
}

__global__ void count_bytes(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned words[256 * kThreads / 4];
    for (int k = threadIdx.x; k < 256 * kThreads / 4; k += kThreads) words[k] = 0;
    __syncthreads();

    const uint4* vectors = reinterpret_cast<const uint4*>(in);
    const std::size_t vector_count = n / 16;
    const std::size_t chunk = std::size_t(kThreads) * kRounds;
    unsigned found[2] = {0, 0};  // in the bins threadIdx.x and threadIdx.x + 128

    for (std::size_t base = blockIdx.x * chunk; base < vector_count; base += gridDim.x * chunk) {
        for (int k = 0; k < kRounds; ++k) {
            const std::size_t i = base + k * kThreads + threadIdx.x;
            if (i < vector_count) {
                const uint4 v = vectors[i];
                count_word(words, v.x);
                count_word(words, v.y);
                count_word(words, v.z);
                count_word(words, v.w);
            }
        }
        __syncthreads();
        for (int half = 0; half < 2; ++half) {
            unsigned* row = words + (threadIdx.x + half * 128) * 32;
            unsigned even = 0, odd = 0;
            for (unsigned k = 0; k < 32; ++k) {
                const unsigned column = (k + threadIdx.x) % 32;
                even += row[column] & 0x00ff00ff;
                odd += (row[column] >> 8) & 0x00ff00ff;
                row[column] = 0;
            }
            found[half] += (even & 0xffff) + (even >> 16) + (odd & 0xffff) + (odd >> 16);
        }
        __syncthreads();
    }

    for (int half = 0; half < 2; ++half) {
        if (found[half] != 0) atomicAdd(&bins[threadIdx.x + half * 128], found[half]);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 16) {
        atomicAdd(&bins[in[vector_count * 16 + threadIdx.x]], 1u);
    }
}

// blockIdx.y is the slice of the bins that the block counts.
__global__ void count_slice(const unsigned* in, std::size_t n, unsigned* bins, unsigned bin_count) {
    extern __shared__ unsigned slice[];
    const unsigned first = blockIdx.y * kSlice;
    const unsigned width = min(kSlice, bin_count - first);
    for (unsigned b = threadIdx.x; b < width; b += blockDim.x) slice[b] = 0;
    __syncthreads();

    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    const std::size_t thread = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t section = (n + threads - 1) / threads;
    for (std::size_t i = thread * section; i < n && i < (thread + 1) * section; ++i) {
        const unsigned b = in[i] - first;
        if (b < width) atomicAdd(&slice[b], 1u);
    }
    __syncthreads();

    for (unsigned b = threadIdx.x; b < width; b += blockDim.x) {
        if (slice[b] != 0) atomicAdd(&bins[first + b], slice[b]);
    }
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 0) return;
    const std::size_t chunks = (n + 16 * kThreads * kRounds - 1) / (16 * kThreads * kRounds);
    count_bytes<<<std::min<std::size_t>(chunks, 132 * 6), kThreads>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof *bins);
    if (n == 0) return;
    const unsigned slices = (bin_count + kSlice - 1) / kSlice;
    const unsigned width = std::min(bin_count, kSlice);
    const std::size_t blocks = std::min<std::size_t>((n + 8191) / 8192, 264);
    count_slice<<<dim3(unsigned(blocks), slices), 768, width * sizeof(unsigned)>>>(in, n, bins,
                                                                                 bin_count);
}
