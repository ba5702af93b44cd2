// cause: lock_taken_twice line 32
// task: transfers
// A transfer from an account to itself tries to take the same lock a second time and never gets it.
#include "interface.cuh"

__global__ void initAccounts(const int64_t* opening, size_t accounts, int64_t* balance,
                             uint64_t* version, int* locks)
{
    size_t a = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        locks[a] = 0;
    }
}

__global__ void transferKernel(const uint32_t* from, const uint32_t* to, const int64_t* amount,
                               size_t n, volatile int64_t* balance, volatile uint64_t* version,
                               int64_t* receipt, int* locks)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    uint32_t f = from[i], t = to[i];
    // always the smaller number first, so that there is no deadlock
    uint32_t first = f < t ? f : t;
    uint32_t second = f < t ? t : f;

    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[first], 0, 1) == 0) {
            if (atomicCAS(&locks[second], 0, 1) == 0) {
                __threadfence();
                balance[f] -= amount[i];
                balance[t] += amount[i];
                version[f] = version[f] + 1;
                if (t != f) version[t] = version[t] + 1;
                receipt[4 * i + 0] = version[f];
                receipt[4 * i + 1] = version[t];
                receipt[4 * i + 2] = balance[f];
                receipt[4 * i + 3] = balance[t];
                __threadfence();
                if (second != first) atomicExch(&locks[second], 0);
                done = true;
            }
            atomicExch(&locks[first], 0);
        }
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt)
{
    int* locks;
    cudaMalloc(&locks, accounts * sizeof(int));
    initAccounts<<<(accounts + 255) / 256, 256>>>(opening, accounts, balance, version, locks);
    if (n > 0)
        transferKernel<<<(n + 255) / 256, 256>>>(from, to, amount, n, balance, version, receipt,
                                                 locks);
    cudaFree(locks);
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
