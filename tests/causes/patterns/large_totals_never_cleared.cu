// cause: uninitialised_output line 71 or 74
// task: scatter
// The totals are set to zero only on the way through shared memory; where they do not fit in there, all atomics add to garbage.
#include "interface.cuh"

#include <algorithm>

// Few totals: every block keeps totals of its own in shared memory and merges them at the end.
// Many totals: they do not fit, but then collisions are rare, and atomics in global memory will do.

namespace scatter {

using Word = unsigned long long;  // two's complement: adds like long long, and has an atomicAdd

constexpr unsigned kThreads = 512;
constexpr std::size_t kSharedBytes = 48 * 1024;
constexpr std::size_t kMostPrivate = kSharedBytes / sizeof(Word);
constexpr unsigned kMostBlocks = 264;

struct Bookings {
    const std::int32_t* value;
    const std::uint32_t* target;
    std::size_t n;

    // Calls add(target, amount) for this thread's share of the bookings.
    template <class Add> __device__ void each(Add add) const {
        const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
        std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
        for (; i < n; i += step) {
            const long long amount = value[i];  // widened with its sign
            add(target[i], static_cast<Word>(amount));
        }
    }
};

__global__ void in_shared_memory(Bookings bookings, unsigned m, Word* total) {
    extern __shared__ Word mine[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();

    bookings.each([](std::uint32_t t, Word amount) { atomicAdd(&mine[t], amount); });
    __syncthreads();

    // Blocks start at different totals, so that they do not meet at the same ones all the time.
    const unsigned shift = static_cast<unsigned>(blockIdx.x * 37ull % m);
    for (unsigned k = threadIdx.x; k < m; k += blockDim.x) {
        const unsigned t = k + shift < m ? k + shift : k + shift - m;
        if (mine[t] != 0) atomicAdd(total + t, mine[t]);
    }
}

__global__ void in_global_memory(Bookings bookings, Word* total) {
    bookings.each([total](std::uint32_t t, Word amount) { atomicAdd(total + t, amount); });
}

unsigned blocks_for(std::size_t n, std::size_t per_thread) {
    const std::size_t per_block = kThreads * per_thread;
    const std::size_t blocks = (n + per_block - 1) / per_block;
    return static_cast<unsigned>(std::min<std::size_t>(std::max<std::size_t>(blocks, 1), kMostBlocks));
}

}  // namespace scatter

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    using namespace scatter;
    const Bookings bookings{value, target, n};
    Word* words = reinterpret_cast<Word*>(total);

    if (m <= kMostPrivate) {
        cudaMemset(total, 0, m * sizeof *total);
        in_shared_memory<<<blocks_for(n, 16), kThreads, m * sizeof(Word)>>>(
            bookings, static_cast<unsigned>(m), words);
    } else {
        in_global_memory<<<blocks_for(n, 4), kThreads>>>(bookings, words);
    }
}
