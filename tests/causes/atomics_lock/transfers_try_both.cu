// cause: lock_not_released line 53
// task: transfers
// If somebody else holds the second account, the thread tries again without having given back the first one, and then finds it taken for ever.
#include "interface.cuh"

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}
void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

#define FREE 0u
#define TAKEN 1u

__device__ __forceinline__ bool try_lock(unsigned int* word) {
    return atomicCAS(word, FREE, TAKEN) == FREE;
}

__device__ __forceinline__ void release(unsigned int* word) { atomicExch(word, FREE); }

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts,
                              std::int64_t* balance, std::uint64_t* version, unsigned int* locks) {
    std::size_t a = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        locks[a] = FREE;
    }
}

__global__ void book(const std::uint32_t* from, const std::uint32_t* to,
                     const std::int64_t* amount, std::size_t n, volatile std::int64_t* balance,
                     volatile std::uint64_t* version, std::int64_t* receipt, unsigned int* locks) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i];
    const std::uint32_t t = to[i];
    unsigned int* const first = &locks[f < t ? f : t];
    unsigned int* const second = &locks[f < t ? t : f];

    for (bool done = false; !done;) {
        if (!try_lock(first)) continue;
        if (second == first || try_lock(second)) {
            __threadfence();
            balance[f] = balance[f] - amount[i];
            balance[t] = balance[t] + amount[i];
            version[f] = version[f] + 1;
            if (t != f) version[t] = version[t] + 1;
            receipt[4 * i + 0] = (std::int64_t)version[f];
            receipt[4 * i + 1] = (std::int64_t)version[t];
            receipt[4 * i + 2] = balance[f];
            receipt[4 * i + 3] = balance[t];
            __threadfence();
            if (second != first) release(second);
            release(first);
            done = true;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static unsigned int* locks = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(unsigned int));
        capacity = accounts;
    }
    open_accounts<<<(unsigned)((accounts + 255) / 256), 256>>>(opening, accounts, balance, version,
                                                               locks);
    if (n > 0)
        book<<<(unsigned)((n + 63) / 64), 64>>>(from, to, amount, n, balance, version, receipt,
                                                locks);
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
