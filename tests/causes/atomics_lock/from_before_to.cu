// cause: lock_order line 16
// task: transfers
// the giver's account is always locked first, so A to B and B to A can wait for each other for ever; shows when transfers cross
#include "interface.cuh"

__device__ int tryLock(int *l) { return atomicCAS(l, 0, 1) == 0; }
__device__ void release(int *l) { __threadfence(); atomicExch(l, 0); }

__global__ void book(const std::uint32_t *from, const std::uint32_t *to, const std::int64_t *amount, int n,
                     volatile std::int64_t *balance, volatile std::uint64_t *version, std::int64_t *receipt, int *locks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned f = from[i], t = to[i];
    int *first = &locks[f], *second = &locks[t];
    int finished = 0;

    while (!finished) {
        if (tryLock(first)) {
            if (f != t)
                while (!tryLock(second)) ;
            __threadfence();

            balance[f] = balance[f] - amount[i];
            balance[t] = balance[t] + amount[i];
            version[f] = version[f] + 1;
            if (t != f) version[t] = version[t] + 1;

            std::int64_t *r = receipt + 4 * (long long)i;
            r[0] = version[f];
            r[1] = version[t];
            r[2] = balance[f];
            r[3] = balance[t];

            if (f != t) release(second);
            release(first);
            finished = 1;
        }
    }
}

void transfers(const std::int64_t *opening, std::size_t accounts,
               const std::uint32_t *from, const std::uint32_t *to,
               const std::int64_t *amount, std::size_t n, std::int64_t *balance,
               std::uint64_t *version, std::int64_t *receipt)
{
    int *locks;
    cudaMalloc((void **)&locks, accounts * sizeof(int));
    cudaMemset(locks, 0, accounts * sizeof(int));
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    if (n > 0)
        book<<<(n + 255) / 256, 256>>>(from, to, amount, (int)n, balance, version, receipt, locks);
    cudaFree(locks);
}
