// cause: lock_taken_twice line 39
// task: transfers
// a transfer from an account to itself tries to take the same lock a second time and never gets it; hangs where from equals to.
// Account-centred version: lock, version and balance lie together, results are copied out at the end.
#include "interface.cuh"

struct alignas(32) Account {
    long long balance;
    unsigned long long version;
    unsigned lock;
};

__device__ inline bool try_lock(Account& a) { return atomicCAS(&a.lock, 0u, 1u) == 0u; }
__device__ inline void release(Account& a) { atomicExch(&a.lock, 0u); }

__global__ void setup(Account* bank, const int64_t* opening, size_t accounts)
{
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < accounts; k += gridDim.x * blockDim.x) {
        bank[k].balance = opening[k];
        bank[k].version = 0;
        bank[k].lock = 0;
    }
}

__global__ void transferKernel(Account* bank, const uint32_t* from, const uint32_t* to,
                               const int64_t* amount, size_t n, int64_t* receipt)
{
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    Account& f = bank[from[i]];
    Account& t = bank[to[i]];
    Account& low  = from[i] < to[i] ? f : t;
    Account& high = from[i] < to[i] ? t : f;
    volatile Account* vf = &f;
    volatile Account* vt = &t;

    for (bool booked = false; !booked; ) {
        if (!try_lock(low)) continue;
        if (try_lock(high)) {
            __threadfence();
            vf->balance = vf->balance - amount[i];
            vt->balance = vt->balance + amount[i];
            vf->version = vf->version + 1;
            if (vf != vt) vt->version = vt->version + 1;

            receipt[4 * i + 0] = vf->version;
            receipt[4 * i + 1] = vt->version;
            receipt[4 * i + 2] = vf->balance;
            receipt[4 * i + 3] = vt->balance;
            __threadfence();
            booked = true;
            if (vf != vt) release(high);
        }
        release(low);
    }
}

__global__ void copyOut(const Account* bank, size_t accounts, int64_t* balance, uint64_t* version)
{
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < accounts; k += gridDim.x * blockDim.x) {
        balance[k] = bank[k].balance;
        version[k] = bank[k].version;
    }
}

void transfers(const int64_t* opening, size_t accounts, const uint32_t* from, const uint32_t* to,
               const int64_t* amount, size_t n, int64_t* balance, uint64_t* version, int64_t* receipt)
{
    static Account* bank = nullptr;
    static size_t size = 0;
    if (accounts > size) {
        cudaFree(bank);
        cudaMalloc(&bank, accounts * sizeof(Account));
        size = accounts;
    }
    setup<<<32, 128>>>(bank, opening, accounts);
    if (n > 0) transferKernel<<<(n + 127) / 128, 128>>>(bank, from, to, amount, n, receipt);
    copyOut<<<32, 128>>>(bank, accounts, balance, version);
}
