// cause: lock_taken_twice line 50
// task: transfers
// Accounts share 64 locks, and two different accounts may have the same one; the thread takes it twice, unless
// the accounts themselves are equal.
#include "interface.cuh"

// Not a lock per account but 64 locks for all of them: saves memory, and they can be static.
constexpr unsigned STRIPES = 64;
__device__ int stripe[STRIPES];

__device__ bool try_lock(unsigned s) {
    if (atomicCAS(&stripe[s], 0, 1) != 0) return false;
    __threadfence();
    return true;
}

__device__ void unlock(unsigned s) {
    __threadfence();
    atomicExch(&stripe[s], 0);
}

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts,
                              std::int64_t* balance, std::uint64_t* version) {
    std::size_t a = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = opening[a];
    version[a] = 0;
}

__device__ void book(unsigned f, unsigned t, std::int64_t money, volatile std::int64_t* balance,
                     volatile std::uint64_t* version, std::int64_t* receipt) {
    balance[f] = balance[f] - money;
    balance[t] = balance[t] + money;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    receipt[0] = (std::int64_t)version[f];
    receipt[1] = (std::int64_t)version[t];
    receipt[2] = balance[f];
    receipt[3] = balance[t];
}

__global__ void book_all(const std::uint32_t* from, const std::uint32_t* to,
                         const std::int64_t* amount, std::size_t n, std::int64_t* balance,
                         std::uint64_t* version, std::int64_t* receipt) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned f = from[i], t = to[i];
    const unsigned a = min(f % STRIPES, t % STRIPES);
    const unsigned b = max(f % STRIPES, t % STRIPES);
    const bool only_one = f == t;

    bool done = false;
    while (!done) {
        if (try_lock(a)) {
            if (only_one || try_lock(b)) {
                book(f, t, amount[i], balance, version, receipt + 4 * i);
                if (!only_one) unlock(b);
                done = true;
            }
            unlock(a);
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    open_accounts<<<(unsigned)((accounts + 255) / 256), 256>>>(opening, accounts, balance, version);
    if (n != 0)
        book_all<<<(unsigned)((n + 255) / 256), 256>>>(from, to, amount, n, balance, version,
                                                      receipt);
}
