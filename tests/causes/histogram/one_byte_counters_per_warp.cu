// cause: counter_too_narrow line 15
// task: bytes
// The packed counters of a warp have 8 bits for up to 2048 elements; the 256th equal byte carries over into the next counter.
// Histogram of bytes with one private histogram per warp.
// Several small counters share a 32-bit word, so that a warp needs very little shared memory and
// many warps fit on a multiprocessor.
#include "interface.cuh"

namespace packed {

constexpr unsigned BINS = 256;
constexpr unsigned WARPS = 4;      // per block
constexpr unsigned CHUNK = 2048;   // bytes that one warp counts before it merges

using counter = unsigned char;
constexpr unsigned BITS = 8 * sizeof(counter);
constexpr unsigned PER_WORD = sizeof(unsigned) / sizeof(counter);
constexpr unsigned WORDS = BINS / PER_WORD;
constexpr unsigned FIELD = (1u << BITS) - 1u;

struct Tally {
    unsigned word[WORDS];

    __device__ void reset(unsigned lane) {
        for (unsigned k = lane; k < WORDS; k += 32) word[k] = 0;
    }
    __device__ void hit(unsigned v) { atomicAdd(&word[v / PER_WORD], 1u << (v % PER_WORD * BITS)); }
    __device__ unsigned count(unsigned v) const {
        return (word[v / PER_WORD] >> (v % PER_WORD * BITS)) & FIELD;
    }
};

__global__ void count_chunks(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ Tally tallies[WARPS];
    const unsigned lane = threadIdx.x % 32;
    Tally& mine = tallies[threadIdx.x / 32];

    mine.reset(lane);
    __syncwarp();

    // this warp's bytes: [begin, end), the lanes side by side
    const std::size_t begin =
        (static_cast<std::size_t>(blockIdx.x) * WARPS + threadIdx.x / 32) * CHUNK;
    const std::size_t end = begin + CHUNK < n ? begin + CHUNK : n;
    for (std::size_t i = begin + lane; i < end; i += 32) mine.hit(in[i]);

    // add up the warps of the block first, then one atomic per bin
    __syncthreads();
    for (unsigned v = threadIdx.x; v < BINS; v += blockDim.x) {
        unsigned sum = 0;
        for (unsigned w = 0; w < WARPS; ++w) sum += tallies[w].count(v);
        if (sum) atomicAdd(bins + v, sum);
    }
}

}  // namespace packed

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    using namespace packed;
    cudaMemsetAsync(bins, 0, BINS * sizeof *bins);
    const std::size_t per_block = WARPS * CHUNK;
    const std::size_t blocks = (n + per_block - 1) / per_block;
    if (blocks) count_chunks<<<static_cast<unsigned>(blocks), 32 * WARPS>>>(in, n, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {}
