// cause: lock_taken_twice line 39
// task: transfers
// In a transfer from an account to itself the second lock is the first one, which is held already, so the thread tries for ever.
#include "interface.cuh"

// Transfers: take the lock of the lower account, then try the other; if that fails, give back the
// first and try again in the next turn of the loop. So lanes of a warp cannot wait for each other.

__device__ bool try_lock(int* locks, std::uint32_t a) {
    return atomicCAS(&locks[a], 0, 1) == 0;
}

__device__ void unlock(int* locks, std::uint32_t a) {
    atomicExch(&locks[a], 0);
}

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts, std::int64_t* balance,
                              std::uint64_t* version, int* locks) {
    std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = opening[a];
    version[a] = 0;
    locks[a] = 0;
}

__global__ void book(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
                     volatile std::int64_t* balance, volatile std::uint64_t* version, int* locks,
                     std::int64_t* receipt) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i];
    const std::uint32_t t = to[i];
    const std::uint32_t first = min(f, t);
    const std::uint32_t second = max(f, t);

    bool done = false;
    while (!done) {
        if (try_lock(locks, first)) {
            if (try_lock(locks, second)) {
                __threadfence();
                balance[f] = balance[f] - amount[i];
                balance[t] = balance[t] + amount[i];
                version[f] = version[f] + 1;
                if (t != f) version[t] = version[t] + 1;
                receipt[4 * i] = version[f];
                receipt[4 * i + 1] = version[t];
                receipt[4 * i + 2] = balance[f];
                receipt[4 * i + 3] = balance[t];
                __threadfence();
                if (second != first) unlock(locks, second);
                done = true;
            }
            unlock(locks, first);
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n, std::int64_t* balance,
               std::uint64_t* version, std::int64_t* receipt) {
    static int* locks = nullptr;
    static std::size_t room = 0;
    if (accounts > room) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(int));
        room = accounts;
    }
    open_accounts<<<static_cast<unsigned>((accounts + 255) / 256), 256>>>(opening, accounts, balance, version, locks);
    if (n > 0)
        book<<<static_cast<unsigned>((n + 255) / 256), 256>>>(from, to, amount, n, balance, version, locks, receipt);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*, std::uint32_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*,
                std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {}
