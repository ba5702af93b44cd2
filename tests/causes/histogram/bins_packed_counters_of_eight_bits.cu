// cause: counter_too_narrow line 10
// task: bins
// Four counters of 8 bits share a word: a block that meets a value 256 times carries into the neighbour.
#include "interface.cuh"

// Shared memory has 48 KB. To get more bins into it I pack several small
// counters into one 32-bit word: a block sees only CHUNK elements anyway.
namespace packed {

constexpr unsigned BITS = 8;
constexpr unsigned PER_WORD = 32 / BITS;
constexpr unsigned MASK = 0xffffffffu >> (32 - BITS);
constexpr std::size_t CHUNK = 32768;
constexpr unsigned MAX_WORDS = 12288;

__host__ __device__ inline unsigned words_for(unsigned bin_count) {
    return (bin_count + PER_WORD - 1) / PER_WORD;
}

__device__ inline void increment(unsigned* words, unsigned bin) {
    atomicAdd(&words[bin / PER_WORD], 1u << (bin % PER_WORD * BITS));
}

__device__ inline unsigned get(const unsigned* words, unsigned bin) {
    return (words[bin / PER_WORD] >> (bin % PER_WORD * BITS)) & MASK;
}

}  // namespace packed

__global__ void bins_packed(const unsigned int* in, std::size_t n, unsigned int* bins,
                            unsigned int bin_count) {
    extern __shared__ unsigned words[];
    const unsigned nwords = packed::words_for(bin_count);
    for (unsigned w = threadIdx.x; w < nwords; w += blockDim.x) words[w] = 0;
    __syncthreads();

    const std::size_t begin = blockIdx.x * packed::CHUNK;
    std::size_t end = begin + packed::CHUNK;
    if (end > n) end = n;
    for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        packed::increment(words, in[i]);
    }
    __syncthreads();

    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) {
        const unsigned c = packed::get(words, b);
        if (c > 0) atomicAdd(&bins[b], c);
    }
}

// too many bins: straight into global memory
__global__ void bins_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (std::size_t)bin_count * sizeof(unsigned int));
    if (n == 0) return;

    const unsigned nwords = packed::words_for(bin_count);
    if (nwords <= packed::MAX_WORDS) {
        const unsigned blocks = (unsigned)((n + packed::CHUNK - 1) / packed::CHUNK);
        bins_packed<<<blocks, 512, nwords * sizeof(unsigned)>>>(in, n, bins, bin_count);
    } else {
        bins_global<<<(unsigned)((n + 255) / 256), 256>>>(in, n, bins);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
