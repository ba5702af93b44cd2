// cause: lock_per_lane line 43
// task: transfers
// Between the two locks the lanes meet at a warp barrier: a lane that has an account waits there for a lane that wants the same one.
#include "interface.cuh"

constexpr int kBlock = 64;

__device__ void lock(unsigned* flag) {
    while (atomicCAS(flag, 0u, 1u) != 0u)
        ;
    __threadfence();
}

__device__ void unlock(unsigned* flag) {
    __threadfence();
    atomicExch(flag, 0u);
}

__global__ void copyOpening(const std::int64_t* opening, std::size_t accounts, std::int64_t* balance,
                            std::uint64_t* version, unsigned* flags) {
    const std::size_t a = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        flags[a] = 0;
    }
}

__global__ void transferAll(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                            std::size_t n, volatile std::int64_t* balance, volatile std::uint64_t* version,
                            unsigned* flags, std::int64_t* receipt) {
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    const unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;

    const std::uint32_t f = from[i], t = to[i];
    const std::uint32_t low = f < t ? f : t;
    const std::uint32_t high = f < t ? t : f;
    const std::int64_t money = amount[i];
    __syncwarp(mask);

    lock(&flags[low]);
    __syncwarp(mask);
    if (high != low) lock(&flags[high]);

    balance[f] = balance[f] - money;
    balance[t] = balance[t] + money;
    version[f] = version[f] + 1;
    if (high != low) version[t] = version[t] + 1;
    const std::int64_t vf = version[f], vt = version[t], bf = balance[f], bt = balance[t];

    if (high != low) unlock(&flags[high]);
    unlock(&flags[low]);

    receipt[i * 4] = vf;
    receipt[i * 4 + 1] = vt;
    receipt[i * 4 + 2] = bf;
    receipt[i * 4 + 3] = bt;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt) {
    unsigned* flags;
    cudaMalloc(&flags, accounts * sizeof(unsigned));
    copyOpening<<<unsigned((accounts + kBlock - 1) / kBlock), kBlock>>>(opening, accounts, balance, version, flags);
    if (n > 0)
        transferAll<<<unsigned((n + kBlock - 1) / kBlock), kBlock>>>(from, to, amount, n, balance, version, flags,
                                                                   receipt);
    cudaFree(flags);
}
