// cause: lock_not_released line 40
// task: transfers
// A transfer from an account to itself leaves the kernel by an early return and keeps the account's lock; shows when that account has another transfer.
#include "interface.cuh"

typedef unsigned long long ull;

__global__ void k_init(const long *opening, size_t accounts, long *bal, unsigned long *ver, unsigned *lk)
{
    size_t a = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    bal[a] = opening[a];
    ver[a] = 0;
    lk[a] = 0;
}

__device__ void write_receipt(long *r, long vf, long vt, long bf, long bt)
{
    r[0] = vf; r[1] = vt; r[2] = bf; r[3] = bt;
}

__global__ void k_transfer(const unsigned *from, const unsigned *to, const long *amount, size_t n,
                           volatile long *bal, volatile unsigned long *ver, long *receipt, unsigned *lk)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned f = from[i], t = to[i];
    unsigned lo = f < t ? f : t;
    unsigned hi = f < t ? t : f;
    long amt = amount[i];

    for (;;) {
        if (atomicExch(&lk[lo], 1u) != 0) continue;
        if (lo == hi) {
            __threadfence();
            ver[f] = ver[f] + 1;
            write_receipt(receipt + 4 * i, ver[f], ver[f], bal[f], bal[f]);
            __threadfence();
            return;
        }
        if (atomicExch(&lk[hi], 1u) != 0) {
            atomicExch(&lk[lo], 0u);
            continue;
        }
        __threadfence();
        long bf = bal[f] - amt, bt = bal[t] + amt;
        long vf = ver[f] + 1, vt = ver[t] + 1;
        bal[f] = bf;
        bal[t] = bt;
        ver[f] = vf;
        ver[t] = vt;
        __threadfence();
        atomicExch(&lk[hi], 0u);
        atomicExch(&lk[lo], 0u);
        write_receipt(receipt + 4 * i, vf, vt, bf, bt);
        return;
    }
}

void transfers(const std::int64_t *opening, std::size_t accounts, const std::uint32_t *from, const std::uint32_t *to,
               const std::int64_t *amount, std::size_t n, std::int64_t *balance, std::uint64_t *version,
               std::int64_t *receipt)
{
    static unsigned *lk = NULL;
    static size_t have = 0;
    if (accounts > have) {
        cudaFree(lk);
        cudaMalloc((void **)&lk, accounts * sizeof(unsigned));
        have = accounts;
    }
    k_init<<<(accounts + 127) / 128, 128>>>((const long *)opening, accounts, (long *)balance, (unsigned long *)version, lk);
    if (n == 0) return;
    k_transfer<<<(n + 127) / 128, 128>>>(from, to, (const long *)amount, n, (long *)balance, (unsigned long *)version,
                                         (long *)receipt, lk);
}
