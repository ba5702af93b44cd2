// cause: lock_order line 29
// task: transfers
// The two locks are taken in the order of the accounts, but a lock serves every 64th account, so that the order of the locks differs from transfer to transfer once there are more than 64 accounts.
#include "interface.cuh"

// Not a lock for every account, but a fixed number of locks: account a belongs to lock a % LOCKS.
#define LOCKS 64

__device__ unsigned g_lock[LOCKS];

#define TRY(k)     (atomicCAS(&g_lock[k], 0u, 1u) == 0u)
#define RELEASE(k) atomicExch(&g_lock[k], 0u)

__global__ void clear_locks(void)
{
    g_lock[threadIdx.x] = 0u;
}

__global__ void transfer_kernel(const uint32_t* from, const uint32_t* to, const int64_t* amount, size_t n,
                                volatile int64_t* balance, volatile uint64_t* version, int64_t* receipt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    uint32_t f = from[i], t = to[i];

    // always the lower one first
    unsigned one = f % LOCKS, two = t % LOCKS;
    if (f > t) { one = t % LOCKS; two = f % LOCKS; }

    bool done = false;
    while (!done) {
        if (TRY(one)) {
            if (two != one) {
                while (!TRY(two)) { }
            }
            __threadfence();

            balance[f] = balance[f] - amount[i];
            balance[t] = balance[t] + amount[i];
            version[f] = version[f] + 1;
            if (t != f) version[t] = version[t] + 1;
            receipt[4 * i + 0] = (int64_t)version[f];
            receipt[4 * i + 1] = (int64_t)version[t];
            receipt[4 * i + 2] = balance[f];
            receipt[4 * i + 3] = balance[t];

            __threadfence();
            if (two != one) RELEASE(two);
            RELEASE(one);
            done = true;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts,
               const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance,
               std::uint64_t* version, std::int64_t* receipt)
{
    cudaMemcpy(balance, opening, accounts * sizeof(int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(uint64_t));
    if (n == 0) return;
    clear_locks<<<1, LOCKS>>>();
    transfer_kernel<<<(n + 127) / 128, 128>>>(from, to, amount, n, balance, version, receipt);
}
