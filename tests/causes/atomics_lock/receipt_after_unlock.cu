// cause: lock_not_held line 53 or 55
// task: transfers
// The receipt is read from the accounts after both locks have been given back: others may have booked in between.
#include "interface.cuh"

struct Account {
    int lock;
    long long balance;
    unsigned long long version;
};

__global__ void setup(Account* acc, const std::int64_t* opening, std::size_t count) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count;
         k += gridDim.x * blockDim.x) {
        acc[k].lock = 0;
        acc[k].balance = opening[k];
        acc[k].version = 0;
    }
}

__global__ void finish(const Account* acc, std::size_t count, std::int64_t* balance,
                       std::uint64_t* version) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count;
         k += gridDim.x * blockDim.x) {
        balance[k] = acc[k].balance;
        version[k] = acc[k].version;
    }
}

__device__ void acquire(Account* a) {
    while (atomicCAS(&a->lock, 0, 1)) __nanosleep(20);
    __threadfence();
}

__device__ void release(Account* a) {
    __threadfence();
    atomicExch(&a->lock, 0);
}

__device__ void transfer(Account* f, Account* t, long long amount, std::int64_t* slip) {
    // the account that lies lower in memory first
    Account* low = f < t ? f : t;
    Account* high = f < t ? t : f;
    volatile Account* source = f;
    volatile Account* destination = t;

    acquire(low);
    if (high != low) acquire(high);
    source->balance = source->balance - amount;
    source->version = source->version + 1;
    destination->balance = destination->balance + amount;
    if (f != t) destination->version = destination->version + 1;
    if (high != low) release(high);
    release(low);
    slip[0] = source->version;
    slip[1] = destination->version;
    slip[2] = source->balance;
    slip[3] = destination->balance;
}

__global__ void run(Account* acc, const std::uint32_t* from, const std::uint32_t* to,
                    const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    // one lane after the other, so that lanes of a warp do not wait for each other
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (threadIdx.x % 32 == lane && i < n)
            transfer(acc + from[i], acc + to[i], amount[i], receipt + 4 * i);
        __syncwarp();
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Account* acc = nullptr;
    static std::size_t room = 0;
    if (accounts > room) {
        cudaFree(acc);
        cudaMalloc(&acc, accounts * sizeof(Account));
        room = accounts;
    }
    setup<<<128, 128>>>(acc, opening, accounts);
    if (n > 0) run<<<(unsigned)((n + 63) / 64), 64>>>(acc, from, to, amount, n, receipt);
    finish<<<128, 128>>>(acc, accounts, balance, version);
}
