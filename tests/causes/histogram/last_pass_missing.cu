// cause: tail_ignored line 46
// task: bins
// The number of passes is rounded down: the bins of the last, partial pass are never counted.
#include "interface.cuh"

class Histogram {
    static const unsigned kChunk = 8192;  // bins of one pass, 32 KB

public:
    // Counts those values that lie in [from, to).
    static __device__ void pass(const unsigned* in, std::size_t n, unsigned* bins, unsigned from,
                                unsigned to) {
        __shared__ unsigned cnt[kChunk];
        const unsigned size = to - from;
        for (unsigned k = threadIdx.x; k < size; k += blockDim.x) cnt[k] = 0;
        __syncthreads();
        const std::size_t hop = std::size_t(gridDim.x) * blockDim.x;
        for (std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < n; k += hop) {
            const unsigned v = in[k];
            if (v >= from && v < to) atomicAdd(cnt + (v - from), 1u);
        }
        __syncthreads();
        for (unsigned k = threadIdx.x; k < size; k += blockDim.x)
            if (cnt[k]) atomicAdd(bins + from + k, cnt[k]);
    }

    static void launch(const unsigned* in, std::size_t n, unsigned* bins, unsigned count);
};

__global__ void zero(unsigned* bins, unsigned count) {
    const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < count) bins[b] = 0;
}

__global__ void one_pass(const unsigned* in, std::size_t n, unsigned* bins, unsigned from,
                         unsigned to) {
    Histogram::pass(in, n, bins, from, to);
}

void Histogram::launch(const unsigned* in, std::size_t n, unsigned* bins, unsigned count) {
    zero<<<(count + 511) / 512, 512>>>(bins, count);
    if (count <= kChunk) {
        one_pass<<<32, 512>>>(in, n, bins, 0, count);
        return;
    }
    const unsigned passes = count / kChunk;
    for (unsigned p = 0; p < passes; ++p) {
        const unsigned from = p * kChunk;
        const unsigned to = count - from < kChunk ? count : from + kChunk;
        one_pass<<<32, 512>>>(in, n, bins, from, to);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    Histogram::launch(in, n, bins, bin_count);
}
