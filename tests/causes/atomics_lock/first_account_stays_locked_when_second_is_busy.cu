// cause: lock_not_released line 59
// task: transfers
// a thread that gets the first account and not the second tries again without giving the first one back, and then nobody gets it any more
#include "interface.cuh"

// Bank transfers: try to lock both accounts, book, unlock, all in one turn of
// the loop, so that lanes of a warp cannot wait for each other.

typedef unsigned long long u64;

// Everything that belongs to an account side by side.
struct __align__(32) Account {
    long long balance;
    u64 version;
    unsigned locked;

    __device__ bool try_lock() {
        if (atomicExch(&locked, 1u) != 0) return false;
        __threadfence();
        return true;
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&locked, 0u);
    }
    // others change these while we run: always from memory
    __device__ long long add(long long amount) {
        volatile long long* b = &balance;
        return *b = *b + amount;
    }
    __device__ u64 next_version() {
        volatile u64* v = &version;
        return *v = *v + 1;
    }
};

__global__ void open_accounts(Account* bank, const std::int64_t* opening, std::size_t count) {
    const std::size_t a = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= count) return;
    bank[a].balance = opening[a];
    bank[a].version = 0;
    bank[a].locked = 0;
}

__global__ void book(Account* bank, const std::uint32_t* from, const std::uint32_t* to,
                     const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;

    Account* f = bank + from[i];
    Account* t = bank + to[i];
    Account* low = f < t ? f : t;       // always the lower address first
    Account* high = f < t ? t : f;
    std::int64_t* row = receipt + 4 * i;

    bool done = false;
    while (!done) {
        if (!low->try_lock()) continue;
        if (high != low && !high->try_lock()) continue;

        row[2] = f->add(-amount[i]);
        row[3] = t->add(amount[i]);
        row[0] = (std::int64_t)f->next_version();
        row[1] = f != t ? (std::int64_t)t->next_version() : row[0];
        if (f == t) row[2] = row[3];    // both are of the moment after the booking

        if (high != low) high->unlock();
        low->unlock();
        done = true;
    }
}

__global__ void close_accounts(const Account* bank, std::size_t count, std::int64_t* balance,
                               std::uint64_t* version) {
    const std::size_t a = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= count) return;
    balance[a] = bank[a].balance;
    version[a] = bank[a].version;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Account* bank = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(bank);
        cudaMalloc(&bank, accounts * sizeof(Account));
        capacity = accounts;
    }
    const unsigned block = 256;
    const auto grid = [=](std::size_t items) { return unsigned((items + block - 1) / block); };

    open_accounts<<<grid(accounts), block>>>(bank, opening, accounts);
    if (n > 0) book<<<grid(n), block>>>(bank, from, to, amount, n, receipt);
    close_accounts<<<grid(accounts), block>>>(bank, accounts, balance, version);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
