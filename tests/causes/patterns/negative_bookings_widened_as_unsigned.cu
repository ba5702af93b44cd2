// cause: sign_lost line 14 or 32
// task: scatter
// A booking keeps its amount in an unsigned field, so a negative one is widened with zeros and its total is 2^32 too large.
#include "interface.cuh"

namespace {

using Word = unsigned long long;  // what atomicAdd takes; two's complement does the rest
constexpr unsigned kThreads = 256;
constexpr std::size_t kPrivateMax = 2048;  // 16 KB of totals per block

struct Booking {
    std::uint32_t account;
    std::uint32_t amount;
};

/// The stream of bookings as one object, so that kernels need not know about two arrays.
struct Ledger {
    const std::int32_t* value;
    const std::uint32_t* target;
    std::size_t size;

    __device__ Booking operator[](std::size_t i) const {
        Booking b;
        b.account = target[i];
        b.amount = value[i];
        return b;
    }
};

__device__ void book(Word* totals, const Booking& b) {
    atomicAdd(totals + b.account, static_cast<Word>(b.amount));
}

/// f(i) for every i below n, neighbouring threads side by side
template <class F>
__device__ void grid_stride(std::size_t n, F f) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        f(i);
    }
}

__global__ void scatter_direct(Ledger ledger, Word* total) {
    grid_stride(ledger.size, [&](std::size_t i) { book(total, ledger[i]); });
}

__global__ void scatter_private(Ledger ledger, Word* total, unsigned m) {
    extern __shared__ Word mine[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();
    grid_stride(ledger.size, [&](std::size_t i) { book(mine, ledger[i]); });
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        if (mine[t] != 0) atomicAdd(total + t, mine[t]);
    }
}

unsigned blocks_for(std::size_t n, unsigned most) {
    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    return blocks < most ? static_cast<unsigned>(blocks) : most;
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;

    const Ledger ledger{value, target, n};
    Word* words = reinterpret_cast<Word*>(total);
    // privatisation pays only if a block sees more bookings than it has totals
    if (m <= kPrivateMax && n > 8 * m) {
        scatter_private<<<blocks_for(n, 264), kThreads, m * sizeof(Word)>>>(
            ledger, words, static_cast<unsigned>(m));
    } else {
        scatter_direct<<<blocks_for(n, 2112), kThreads>>>(ledger, words);
    }
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {
    // TODO
}
