// cause: lock_taken_twice line 31
// task: transfers
// A pool of locks is shared by the accounts, and two accounts may have the same one, which the thread then waits for itself; shows with more accounts than locks.
#include "interface.cuh"

#define NLOCKS 64

__device__ int pool[NLOCKS];

__device__ bool try_lock(int k) { return atomicCAS(&pool[k], 0, 1) == 0; }
__device__ void release(int k) { atomicExch(&pool[k], 0); }

__global__ void init(const std::int64_t *opening, size_t accounts, std::int64_t *balance, std::uint64_t *version)
{
    size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
    }
}

__global__ void book(const std::uint32_t *from, const std::uint32_t *to, const std::int64_t *amount, size_t n,
                     volatile std::int64_t *balance, volatile std::uint64_t *version, std::int64_t *receipt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint32_t f = from[i], t = to[i];
    std::int64_t x = amount[i];
    int a = f % NLOCKS, b = t % NLOCKS;
    int first = a < b ? a : b, second = a < b ? b : a;
    bool two = f != t;

    bool done = false;
    while (!done) {
        if (try_lock(first)) {
            if (!two || try_lock(second)) {
                __threadfence();
                balance[f] = balance[f] - x;
                balance[t] = balance[t] + x;
                version[f] = version[f] + 1;
                if (f != t) version[t] = version[t] + 1;
                receipt[4 * i] = (std::int64_t)version[f];
                receipt[4 * i + 1] = (std::int64_t)version[t];
                receipt[4 * i + 2] = balance[f];
                receipt[4 * i + 3] = balance[t];
                __threadfence();
                if (two) release(second);
                done = true;
            }
            release(first);
        }
    }
}

void transfers(const std::int64_t *opening, std::size_t accounts, const std::uint32_t *from, const std::uint32_t *to,
               const std::int64_t *amount, std::size_t n, std::int64_t *balance, std::uint64_t *version,
               std::int64_t *receipt)
{
    init<<<(unsigned)((accounts + 127) / 128), 128>>>(opening, accounts, balance, version);
    if (n) book<<<(unsigned)((n + 127) / 128), 128>>>(from, to, amount, n, balance, version, receipt);
}
