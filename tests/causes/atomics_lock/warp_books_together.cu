// cause: lock_per_lane line 47
// task: transfers
// The lanes book only when all of the warp hold their locks, but two lanes that need one account can never hold it at the same time.
#include "interface.cuh"

__device__ bool take_both(unsigned* locks, std::uint32_t f, std::uint32_t t) {
    const std::uint32_t low = f < t ? f : t;
    const std::uint32_t high = f < t ? t : f;
    if (atomicExch(&locks[low], 1u) != 0u) return false;
    if (low != high && atomicExch(&locks[high], 1u) != 0u) {
        atomicExch(&locks[low], 0u);
        return false;
    }
    __threadfence();
    return true;
}

__device__ void give_both(unsigned* locks, std::uint32_t f, std::uint32_t t) {
    __threadfence();
    atomicExch(&locks[f], 0u);
    if (f != t) atomicExch(&locks[t], 0u);
}

__device__ void book(std::uint32_t f, std::uint32_t t, std::int64_t sum, std::int64_t* balance_,
                     std::uint64_t* version_, std::int64_t* slip) {
    volatile std::int64_t* balance = balance_;
    volatile std::uint64_t* version = version_;
    balance[f] = balance[f] - sum;
    balance[t] = balance[t] + sum;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    slip[0] = version[f];
    slip[1] = version[t];
    slip[2] = balance[f];
    slip[3] = balance[t];
}

__global__ void transfer_kernel(const std::uint32_t* from, const std::uint32_t* to,
                                const std::int64_t* amount, std::size_t n, std::int64_t* balance,
                                std::uint64_t* version, std::int64_t* receipt, unsigned* locks) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const unsigned warp = 0xffffffffu;
    bool waiting = i < n;
    bool held = false;
    while (__any_sync(warp, waiting)) {
        if (waiting && !held) held = take_both(locks, from[i], to[i]);
        if (__all_sync(warp, held || !waiting)) {
            if (waiting) {
                book(from[i], to[i], amount[i], balance, version, receipt + 4 * i);
                give_both(locks, from[i], to[i]);
                waiting = false;
            }
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    if (n == 0) return;

    static unsigned* locks = nullptr;
    static std::size_t room = 0;
    if (room < accounts) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(unsigned));
        room = accounts;
    }
    cudaMemset(locks, 0, accounts * sizeof(unsigned));
    transfer_kernel<<<(n + 95) / 96, 96>>>(from, to, amount, n, balance, version, receipt, locks);
}
