// cause: lock_taken_twice line 69
// task: transfers
// a transfer from an account to itself asks for its only lock twice; hangs as soon as from[i] == to[i]
#include "interface.cuh"

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

// ---------------------------------------------------------------- transfers

// 0 = free, 1 = somebody is at it
__device__ bool try_lock(int* lock) {
    return atomicCAS(lock, 0, 1) == 0;
}

__device__ void unlock(int* lock) {
    atomicExch(lock, 0);
}

struct Bank {
    long long* balance;
    unsigned long long* version;
    int* locks;  // one per account

    // Only with all the locks in hand!
    __device__ void book(unsigned f, unsigned t, long long euros, long long* slip) {
        balance[f] -= euros;
        balance[t] += euros;
        version[f] += 1;
        if (t != f) version[t] += 1;
        slip[0] = static_cast<long long>(version[f]);
        slip[1] = static_cast<long long>(version[t]);
        slip[2] = balance[f];
        slip[3] = balance[t];
    }
};

__global__ void book_all(Bank bank, const unsigned* from, const unsigned* to,
                         const long long* amount, size_t n, long long* receipt) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const unsigned f = from[i];
    const unsigned t = to[i];

    // smaller account number first, so that there is no circle
    const unsigned need[2] = {min(f, t), max(f, t)};
    const int needed = 2;

    bool done = false;
    while (!done) {
        // take what I can get, one after the other ...
        int held = 0;
        while (held < needed && try_lock(bank.locks + need[held])) ++held;

        if (held == needed) {
            __threadfence();
            bank.book(f, t, amount[i], receipt + 4 * i);
            __threadfence();
            done = true;
        }

        // ... and put everything back in the same turn, whether it was enough or not
        while (held > 0) unlock(bank.locks + need[--held]);
    }
}

// grows when there are more accounts than ever before
static int* open_locks(size_t accounts) {
    static int* locks = nullptr;
    static size_t room = 0;
    if (accounts > room) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(int));
        room = accounts;
    }
    cudaMemset(locks, 0, accounts * sizeof(int));
    return locks;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof(*balance), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(*version));
    if (n == 0) return;

    Bank bank{reinterpret_cast<long long*>(balance),
              reinterpret_cast<unsigned long long*>(version), open_locks(accounts)};
    const unsigned block = 128;
    const unsigned grid = static_cast<unsigned>((n + block - 1) / block);
    book_all<<<grid, block>>>(bank, from, to, reinterpret_cast<const long long*>(amount), n,
                              reinterpret_cast<long long*>(receipt));
}
