// cause: sign_lost line 15
// task: scatter
// The upper word of a negative amount is 0 and not -1, so that each negative amount makes a total too large by 2^32.
#include "interface.cuh"

// A private total is kept as two words of 32 bits, because atomics on those are the fast ones.
constexpr std::size_t kPrivate = 4096;

struct Words {
    unsigned lo, hi;
};

__device__ void add_words(Words* w, int amount) {
    const unsigned low = static_cast<unsigned>(amount);
    const unsigned high = low >> 31 >> 1;
    const unsigned before = atomicAdd(&w->lo, low);
    const unsigned carry = before + low < before ? 1u : 0u;
    if (high + carry != 0) atomicAdd(&w->hi, high + carry);
}

__global__ void scatter_private(const int* value, const unsigned* target, std::size_t n,
                                unsigned m, unsigned long long* total) {
    extern __shared__ Words mine[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) mine[t] = Words{0, 0};
    __syncthreads();

    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        add_words(&mine[target[i]], value[i]);
    }
    __syncthreads();

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        const unsigned long long sum = (static_cast<unsigned long long>(mine[t].hi) << 32) | mine[t].lo;
        if (sum != 0) atomicAdd(total + t, sum);
    }
}

__global__ void scatter_direct(const int* value, const unsigned* target, std::size_t n,
                               unsigned long long* total) {
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        atomicAdd(total + target[i], static_cast<unsigned long long>(static_cast<long long>(value[i])));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    auto* sums = reinterpret_cast<unsigned long long*>(total);
    cudaMemsetAsync(total, 0, m * sizeof(*total));
    if (m <= kPrivate)
        scatter_private<<<12, 256, m * sizeof(Words)>>>(value, target, n, unsigned(m), sums);
    else
        scatter_direct<<<64, 256>>>(value, target, n, sums);
}
