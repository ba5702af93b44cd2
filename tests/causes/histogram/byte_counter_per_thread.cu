// cause: counter_too_narrow line 12
// task: bytes
// Each thread counts up to 1024 elements in counters of 8 bits, which start again from 0 when a thread meets one value 256 times.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 64;
constexpr unsigned kPerThread = 1024;                     // elements that a thread looks at
constexpr std::size_t kPerBlock = kThreads * kPerThread;  // 65536
constexpr unsigned kBins = 256;
using Counter = unsigned char;

/// A histogram for each thread. Counter b of all threads lie side by side, so that nobody needs an
/// atomic and the lanes of a warp seldom want the same bank.
struct Private {
    Counter count[kBins][kThreads];

    __device__ void clear() {
        for (unsigned b = 0; b < kBins; ++b) count[b][threadIdx.x] = 0;
    }
    __device__ void add(unsigned value) { ++count[value][threadIdx.x]; }

    /// Sum of all threads' counters for bin b. Each thread begins at another place of the row.
    __device__ unsigned total(unsigned b) const {
        unsigned sum = 0;
        for (unsigned k = 0; k < kThreads; ++k) sum += count[b][(k + threadIdx.x) % kThreads];
        return sum;
    }
};

/// The bytes of an aligned word, one after the other
template <class F>
__device__ void for_each_byte(unsigned word, F f) {
#pragma unroll
    for (int k = 0; k < 4; ++k) f((word >> (8 * k)) & 0xffu);
}

__global__ void count_slice(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ Private mine;
    mine.clear();  // own column only, no barrier needed

    const std::size_t begin = blockIdx.x * kPerBlock;
    const std::size_t end = begin + kPerBlock < n ? begin + kPerBlock : n;
    const std::size_t words = (end - begin) / 4;
    const auto* wide = reinterpret_cast<const unsigned int*>(in + begin);

    for (std::size_t w = threadIdx.x; w < words; w += kThreads) {
        for_each_byte(wide[w], [&](unsigned value) { mine.add(value); });
    }
    // the last one to three bytes of the input
    for (std::size_t i = begin + 4 * words + threadIdx.x; i < end; i += kThreads) mine.add(in[i]);

    __syncthreads();
    for (unsigned b = threadIdx.x; b < kBins; b += kThreads) {
        const unsigned sum = mine.total(b);
        if (sum != 0) atomicAdd(bins + b, sum);
    }
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, kBins * sizeof(unsigned int));
    if (n == 0) return;
    // as many blocks as slices, so that no thread sees more than kPerThread elements
    const auto slices = static_cast<unsigned>((n + kPerBlock - 1) / kPerBlock);
    count_slice<<<slices, kThreads>>>(in, n, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {
    // TODO
}
