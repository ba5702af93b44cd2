// cause: counter_too_narrow line 12
// task: bytes
// A thread counts up to 256 bytes in counters of one byte: if all of them are equal, the counter wraps around to zero.
#include "interface.cuh"

/*
 * No atomics in shared memory at all: every thread has a histogram of its own. 256 counters for
 * 64 threads are 64 KB if they are ints, which is too much for a block, but only 16 KB as bytes.
 * A block takes a chunk of the input, and its threads read it interleaved.
 */
constexpr int threads_per_block = 64;
constexpr int elements_per_thread = 256;
constexpr int chunk = threads_per_block * elements_per_thread;

__global__ void histogram_kernel(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned char counter[256][threads_per_block];

    const int me = threadIdx.x;
    for (int v = 0; v < 256; ++v) counter[v][me] = 0;

    // only my own column: no barrier needed up to here
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * chunk;
    const std::size_t end = begin + chunk < n ? begin + chunk : n;
    for (std::size_t i = begin + me; i < end; i += threads_per_block) {
        counter[in[i]][me]++;
    }
    __syncthreads();

    // now each thread adds up some rows
    for (int v = me; v < 256; v += threads_per_block) {
        unsigned int sum = 0;
        for (int t = 0; t < threads_per_block; ++t) {
            sum += counter[v][t];
        }
        if (sum != 0) {
            atomicAdd(&bins[v], sum);
        }
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(*bins));
    if (n > 0) {
        const auto blocks = static_cast<unsigned int>((n + chunk - 1) / chunk);
        histogram_kernel<<<blocks, threads_per_block>>>(in, n, bins);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
