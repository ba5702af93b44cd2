// cause: missing_atomic line 48
// task: bins
// Equal values of a warp are merged and their leader adds without an atomic, but the other warps of the block use the same table: counts are lost when two warps see one value.
#include "interface.cuh"

#include <algorithm>

// Skewed data are the problem: when most values are equal, the lanes of a warp queue up. So the lanes
// that hold the same value elect a leader, and only he touches the counter.

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned shared_limit = 12288;  // counters in 48 KB
constexpr unsigned most_blocks = 64;

// Lanes in `among` that have the same value as this one.
struct Peers {
    unsigned mask;

    __device__ Peers(unsigned among, unsigned value) : mask(__match_any_sync(among, value)) {}
    __device__ bool i_lead() const {
        return static_cast<int>(threadIdx.x % 32) == __ffs(mask) - 1;
    }
    __device__ unsigned size() const { return __popc(mask); }
};

// Runs f(value) for all values, step by step over the whole grid. All lanes of a warp make the same
// number of turns; f gets the mask of those that have a value in this turn.
template <class F> __device__ void for_each_value(const unsigned* in, std::size_t n, F f) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * block_threads;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * block_threads;
    for (std::size_t base = first; base < n; base += step) {
        const std::size_t i = base + threadIdx.x;
        const unsigned among = __ballot_sync(0xffffffffu, i < n);
        if (i < n) f(in[i], among);
    }
}

__global__ void small_table(const unsigned* in, std::size_t n, unsigned* bins, unsigned count) {
    extern __shared__ unsigned table[];
    for (unsigned b = threadIdx.x; b < count; b += block_threads) table[b] = 0;
    __syncthreads();

    for_each_value(in, n, [](unsigned value, unsigned among) {
        const Peers peers(among, value);
        // one leader for each value: he has the counter for himself
        if (peers.i_lead()) table[value] += peers.size();
    });
    __syncthreads();

    for (unsigned b = threadIdx.x; b < count; b += block_threads) {
        if (table[b]) atomicAdd(bins + b, table[b]);
    }
}

__global__ void large_table(const unsigned* in, std::size_t n, unsigned* bins) {
    for_each_value(in, n, [bins](unsigned value, unsigned among) {
        const Peers peers(among, value);
        if (peers.i_lead()) atomicAdd(bins + value, peers.size());
    });
}

unsigned grid_for(std::size_t n, std::size_t per_thread) {
    const std::size_t per_block = block_threads * per_thread;
    return static_cast<unsigned>(
        std::min<std::size_t>((n + per_block - 1) / per_block, most_blocks));
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof *bins);
    if (n == 0) return;
    if (bin_count <= shared_limit) {
        const std::size_t bytes = bin_count * sizeof(unsigned);
        small_table<<<grid_for(n, 16), block_threads, bytes>>>(in, n, bins, bin_count);
    } else {
        large_table<<<grid_for(n, 4), block_threads>>>(in, n, bins);
    }
}
