// cause: lock_not_released line 44 or 45
// task: transfers
// When the second account is busy, the thread starts anew without giving back the first, and then waits for itself; shows when accounts are contended.
#include "interface.cuh"

typedef long long i64;

__device__ __forceinline__ bool grab(int* m) { return atomicExch(m, 1) == 0; }
__device__ __forceinline__ void drop(int* m) { __threadfence(); atomicExch(m, 0); }

__device__ void booking(size_t i, unsigned f, unsigned t, i64 x, volatile std::int64_t* bal,
                        volatile std::uint64_t* ver, std::int64_t* receipt)
{
    std::int64_t bf = bal[f] - x;
    bal[f] = bf;
    std::int64_t bt = bal[t] + x;
    bal[t] = bt;
    if (f == t) bf = bt;
    std::uint64_t vf = ver[f] + 1;
    ver[f] = vf;
    std::uint64_t vt = vf;
    if (f != t) {
        vt = ver[t] + 1;
        ver[t] = vt;
    }
    receipt[i * 4 + 0] = vf;
    receipt[i * 4 + 1] = vt;
    receipt[i * 4 + 2] = bf;
    receipt[i * 4 + 3] = bt;
}

__global__ void transferKernel(int* mutex, const std::uint32_t* from, const std::uint32_t* to,
                               const std::int64_t* amount, size_t n, std::int64_t* bal, std::uint64_t* ver,
                               std::int64_t* receipt)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i >= n) return;
    unsigned f = from[i], t = to[i];
    unsigned lo = min(f, t), hi = max(f, t);

    for (bool open = true; open;) {
        if (!grab(mutex + lo)) continue;
        if (lo != hi && !grab(mutex + hi)) {
            __nanosleep(50);
            continue;
        }
        __threadfence();
        booking(i, f, t, amount[i], bal, ver, receipt);
        if (lo != hi) drop(mutex + hi);
        drop(mutex + lo);
        open = false;
    }
}

__global__ void prepare(const std::int64_t* opening, size_t accounts, std::int64_t* bal, std::uint64_t* ver, int* mutex)
{
    for (size_t a = threadIdx.x + (size_t)blockIdx.x * blockDim.x; a < accounts; a += (size_t)gridDim.x * blockDim.x) {
        bal[a] = opening[a];
        ver[a] = 0;
        mutex[a] = 0;
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt)
{
    static int* mutex = NULL;
    static size_t have = 0;
    if (have < accounts) {
        if (mutex) cudaFree(mutex);
        cudaMalloc((void**)&mutex, accounts * sizeof(int));
        have = accounts;
    }
    prepare<<<32, 256>>>(opening, accounts, balance, version, mutex);
    if (n > 0) transferKernel<<<(int)((n + 255) / 256), 256>>>(mutex, from, to, amount, n, balance, version, receipt);
}
