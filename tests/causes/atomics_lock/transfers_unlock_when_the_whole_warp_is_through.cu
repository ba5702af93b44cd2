// cause: lock_per_lane line 70 or 73
// task: transfers
// a lane keeps its two locks until all lanes of the warp are through; hangs when two lanes of a warp want one account
#include "interface.cuh"

// lock, version and balance of an account lie side by side while we work (one cache line)
struct alignas(32) Account {
    long long balance;
    unsigned long long version;
    int taken;
};

namespace {

constexpr int kBlock = 256;

__global__ void openAccounts(Account* acc, const std::int64_t* opening, std::size_t accounts) {
    const std::size_t a = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
    if (a < accounts) acc[a] = Account{opening[a], 0, 0};
}

__global__ void closeAccounts(const Account* acc, std::size_t accounts, std::int64_t* balance,
                              std::uint64_t* version) {
    const std::size_t a = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = acc[a].balance;
    version[a] = acc[a].version;
}

/// Both or none.
__device__ bool takeBoth(Account& lo, Account& hi) {
    if (atomicCAS(&lo.taken, 0, 1) != 0) return false;
    if (&lo == &hi || atomicCAS(&hi.taken, 0, 1) == 0) {
        __threadfence();
        return true;
    }
    atomicExch(&lo.taken, 0);
    return false;
}

__device__ void giveBack(Account& lo, Account& hi) {
    __threadfence();
    if (&lo != &hi) atomicExch(&hi.taken, 0);
    atomicExch(&lo.taken, 0);
}

__global__ void bookTransfers(Account* acc, const std::uint32_t* from, const std::uint32_t* to,
                              const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
    const unsigned lanes = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;

    const std::uint32_t f = from[i], t = to[i];
    Account& lo = acc[f < t ? f : t];
    Account& hi = acc[f < t ? t : f];
    const std::int64_t x = amount[i];

    bool waiting = true;
    while (__any_sync(lanes, waiting)) {  // the warp stays together
        if (waiting && takeBoth(lo, hi)) {
            Account &a = acc[f], &b = acc[t];
            a.balance -= x;
            b.balance += x;
            ++a.version;
            if (f != t) ++b.version;
            receipt[4 * i + 0] = static_cast<std::int64_t>(a.version);
            receipt[4 * i + 1] = static_cast<std::int64_t>(b.version);
            receipt[4 * i + 2] = a.balance;
            receipt[4 * i + 3] = b.balance;
            waiting = false;
        }
    }
    giveBack(lo, hi);
}

unsigned blocksFor(std::size_t k) { return static_cast<unsigned>((k + kBlock - 1) / kBlock); }

}  // namespace

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Account* acc = nullptr;
    static std::size_t capacity = 0;
    if (capacity < accounts) {
        cudaFree(acc);
        cudaMalloc(&acc, accounts * sizeof(Account));
        capacity = accounts;
    }
    openAccounts<<<blocksFor(accounts), kBlock>>>(acc, opening, accounts);
    if (n > 0) bookTransfers<<<blocksFor(n), kBlock>>>(acc, from, to, amount, n, receipt);
    closeAccounts<<<blocksFor(accounts), kBlock>>>(acc, accounts, balance, version);
}

// Task 1. Write this device function from a 64-bit atomicCAS, and a kernel that uses it:
//     __device__ double atomic_add_double(double* address, double value);   // returns the old
//     value
void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

// Task 2. Write a lock, and let one thread of each block update the record under it:
//     struct Lock { __device__ void lock(); __device__ void unlock(); ... };
void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

// Task 4. Each atomic operation that CUDA has, on words of 32 and of 64 bits.
void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
