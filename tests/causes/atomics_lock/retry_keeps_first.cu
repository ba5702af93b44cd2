// cause: lock_not_released line 43
// task: transfers
// when the second account is taken the thread starts again without giving the first one back, and then waits for itself; hangs when two transfers share an account
#include "interface.cuh"
#include <utility>

static int* g_locks = nullptr;
static std::size_t g_lock_count = 0;

__device__ __forceinline__ bool acquire(int* m)
{
    bool ok = atomicExch(m, 1) == 0;
    if (ok) __threadfence();
    return ok;
}

__device__ __forceinline__ void give(int* m)
{
    __threadfence();
    atomicExch(m, 0);
}

__global__ void transferKernel(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                               std::size_t n, std::int64_t* balance_, std::uint64_t* version_,
                               longlong4* receipt, int* locks)
{
    volatile std::int64_t* balance = balance_;
    volatile std::uint64_t* version = version_;

    for (std::size_t i = threadIdx.x + std::size_t(blockIdx.x) * blockDim.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
    {
        const unsigned f = from[i];
        const unsigned t = to[i];
        const unsigned lo = f < t ? f : t, hi = f < t ? t : f;
        const long long x = amount[i];
        bool todo = true;
        do
        {
            if (acquire(locks + lo))
            {
                if (f != t && !acquire(locks + hi))
                    continue;

                long long bf = balance[f] - x;
                unsigned long long vf = version[f] + 1;
                long long bt = bf + x;
                unsigned long long vt = vf;
                if (f == t)
                    bf = bt;
                else
                {
                    bt = balance[t] + x;
                    vt = version[t] + 1;
                    balance[t] = bt;
                    version[t] = vt;
                }
                balance[f] = bf;
                version[f] = vf;
                receipt[i] = make_longlong4((long long)vf, (long long)vt, bf, bt);

                if (f != t) give(locks + hi);
                give(locks + lo);
                todo = false;
            }
        } while (todo);
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts,
               const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance,
               std::uint64_t* version, std::int64_t* receipt)
{
    if (g_lock_count < accounts)
    {
        if (g_locks) cudaFree(g_locks);
        cudaMalloc(&g_locks, accounts * sizeof(int));
        g_lock_count = accounts;
    }
    cudaMemsetAsync(g_locks, 0, accounts * sizeof(int));
    cudaMemcpyAsync(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemsetAsync(version, 0, accounts * sizeof(std::uint64_t));
    transferKernel<<<64, 128>>>(from, to, amount, n, balance, version, reinterpret_cast<longlong4*>(receipt), g_locks);
}
