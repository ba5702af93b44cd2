// cause: counter_too_narrow line 9
// task: bytes
// The 8-bit counters of a thread are flushed after 256 elements, so a thread that sees 256 equal bytes in a round loses all of them.
#include "interface.cuh"

// every thread has 256 small counters of its own, so counting needs no atomics
constexpr unsigned kThreads = 64;
constexpr unsigned kBlocks = 8;
constexpr unsigned kRound = 256;  // elements per thread between two flushes

__global__ void count_private(const unsigned char* __restrict__ in, std::size_t n,
                              unsigned int* __restrict__ bins) {
    __shared__ unsigned char mine[256 * kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t step = std::size_t(gridDim.x) * kThreads;

    for (unsigned v = 0; v < 256; ++v) mine[v * kThreads + t] = 0;

    for (std::size_t base = std::size_t(blockIdx.x) * kThreads; base < n; base += step * kRound) {
        for (unsigned k = 0; k < kRound; ++k) {
            const std::size_t i = base + k * step + t;
            if (i < n) ++mine[in[i] * kThreads + t];
        }
        __syncthreads();

        // flush: one thread adds up a row
        for (unsigned v = t; v < 256; v += kThreads) {
            unsigned sum = 0;
            for (unsigned c = 0; c < kThreads; ++c) {
                sum += mine[v * kThreads + c];
                mine[v * kThreads + c] = 0;
            }
            if (sum) atomicAdd(bins + v, sum);
        }
        __syncthreads();
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    count_private<<<kBlocks, kThreads>>>(in, n, bins);
}
