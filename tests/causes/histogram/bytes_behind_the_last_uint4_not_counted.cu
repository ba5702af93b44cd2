// cause: tail_ignored line 41 or 47
// task: bytes
// bytes are read 16 at a time and the n % 16 behind the last whole uint4 are never counted; right only where n is a multiple of 16
#include "interface.cuh"

// 256 bins. Every warp has its own copy in shared memory so that warps do not
// wait for each other, and a thread loads sixteen bytes with one instruction.

using Count = unsigned int;

namespace hist {

constexpr int warps   = 8;
constexpr int threads = 32 * warps;
constexpr int bins    = 256;
constexpr int pitch   = bins + 1;    // copies begin in different banks

// adds the four bytes of a word
__device__ inline void add4(Count* copy, unsigned int word) {
    atomicAdd(&copy[word & 0xff], 1u);
    atomicAdd(&copy[(word >> 8) & 0xff], 1u);
    atomicAdd(&copy[(word >> 16) & 0xff], 1u);
    atomicAdd(&copy[word >> 24], 1u);
}

__global__ void countBytes(const unsigned char* in, std::size_t n, Count* out) {
    __shared__ Count copies[warps][pitch];

    Count* flat = &copies[0][0];
    for (int k = threadIdx.x; k < warps * pitch; k += threads) flat[k] = 0;
    __syncthreads();

    Count* mine = copies[threadIdx.x / 32];

    // in is aligned to 256 bytes, so all these loads are aligned too
    const uint4* vectors = reinterpret_cast<const uint4*>(in);
    const std::size_t vectorCount = n / sizeof(uint4);
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;

    for (std::size_t v = first; v < vectorCount; v += stride) {
        const uint4 four = vectors[v];
        add4(mine, four.x);
        add4(mine, four.y);
        add4(mine, four.z);
        add4(mine, four.w);
    }
    __syncthreads();

    // one thread per bin adds up the copies
    Count sum = 0;
    for (int w = 0; w < warps; ++w) sum += copies[w][threadIdx.x];
    if (sum != 0) atomicAdd(&out[threadIdx.x], sum);
}

static_assert(threads == bins, "the merge needs one thread for each bin");

// enough blocks to fill the GPU, but no block for less than 32 KB
inline unsigned blocksFor(std::size_t n) {
    const std::size_t b = (n + 32767) / 32768;
    return b < 1056 ? static_cast<unsigned>(b) : 1056u;
}

}  // namespace hist

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, hist::bins * sizeof(Count));
    if (n > 0) hist::countBytes<<<hist::blocksFor(n), hist::threads>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
