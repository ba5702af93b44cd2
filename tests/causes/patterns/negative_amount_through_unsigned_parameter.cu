// cause: sign_lost line 17
// task: scatter
// the helper takes the amount as unsigned int, so a negative one is widened without its sign and the total is 2^32 too large for each
#include "interface.cuh"

// scatter: private totals per block where they fit into shared memory. There is
// no atomicAdd for long long, but for unsigned long long, with the same bits.

namespace {

using Word = unsigned long long;

constexpr unsigned kThreads = 256;
constexpr std::size_t kPrivateTotals = 48 * 1024 / sizeof(Word);   // 6144

// Adds an amount to a total of 64 bits that others change, too.
__device__ void book(Word* total, unsigned int amount) {
    if (amount != 0) atomicAdd(total, static_cast<Word>(amount));
}

struct Bookings {
    const std::int32_t* value;
    const std::uint32_t* target;
    std::size_t n;

    // Calls f(place, amount) for the bookings of this thread.
    template <class F>
    __device__ void forEach(F f) const {
        const std::size_t all = static_cast<std::size_t>(gridDim.x) * blockDim.x;
        for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
             i < n; i += all) {
            f(target[i], value[i]);
        }
    }
};

__global__ void scatterPrivate(Bookings bookings, std::size_t m, Word* total) {
    extern __shared__ Word mine[];
    for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();

    bookings.forEach([&](std::uint32_t t, std::int32_t amount) { book(mine + t, amount); });
    __syncthreads();

    // what a block has collected has 64 bits already
    for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) {
        if (mine[t] != 0) atomicAdd(total + t, mine[t]);
    }
}

__global__ void scatterDirect(Bookings bookings, Word* total) {
    bookings.forEach([&](std::uint32_t t, std::int32_t amount) { book(total + t, amount); });
}

unsigned gridFor(std::size_t n, std::size_t perThread) {
    const std::size_t share = kThreads * perThread;
    const std::size_t blocks = (n + share - 1) / share;
    return static_cast<unsigned>(blocks < 792 ? blocks : 792);
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(*total));
    if (n == 0) return;

    Word* words = reinterpret_cast<Word*>(total);
    const Bookings bookings{value, target, n};
    if (m <= kPrivateTotals && m <= n) {
        scatterPrivate<<<gridFor(n, 16), kThreads, m * sizeof(Word)>>>(bookings, m, words);
    } else {
        scatterDirect<<<gridFor(n, 1), kThreads>>>(bookings, words);
    }
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}
