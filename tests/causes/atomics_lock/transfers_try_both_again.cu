// cause: lock_not_released line 62
// task: transfers
// A thread that gets the first lock but not the second goes into the next turn without giving the first back.
#include "interface.cuh"

__device__ bool try_lock(int *lock)
{
    if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        return true;
    }
    return false;
}

__device__ void unlock(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void open_accounts(const int64_t *opening, size_t accounts, int64_t *balance,
                              uint64_t *version, int *locks)
{
    size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        locks[a] = 0;
    }
}

__global__ void book(const uint32_t *from, const uint32_t *to, const int64_t *amount, size_t n,
                     volatile int64_t *balance, volatile uint64_t *version, int *locks,
                     int64_t *receipt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    uint32_t f = from[i], t = to[i];
    int64_t *r = receipt + 4 * i;
    int *low = &locks[f < t ? f : t];     /* always in the same order */
    int *high = &locks[f < t ? t : f];
    bool done = false;

    while (!done) {
        if (try_lock(low)) {
            /* an account needs to be locked only once */
            if (f == t || try_lock(high)) {
                balance[f] = balance[f] - amount[i];
                balance[t] = balance[t] + amount[i];
                version[f] = version[f] + 1;
                if (t != f)
                    version[t] = version[t] + 1;
                r[0] = version[f];
                r[1] = version[t];
                r[2] = balance[f];
                r[3] = balance[t];
                done = true;
                if (t != f)
                    unlock(high);
                unlock(low);
            }
        }
    }
}

void transfers(const int64_t *opening, size_t accounts, const uint32_t *from, const uint32_t *to,
               const int64_t *amount, size_t n, int64_t *balance, uint64_t *version,
               int64_t *receipt)
{
    static int *locks = NULL;
    static size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(int));
        capacity = accounts;
    }

    open_accounts<<<(accounts + 255) / 256, 256>>>(opening, accounts, balance, version, locks);
    if (n > 0)
        book<<<(n + 127) / 128, 128>>>(from, to, amount, n, balance, version, locks, receipt);
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
