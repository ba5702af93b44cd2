// cause: lock_not_held line 52 or 53
// task: transfers
// the receipt is read from the accounts after their locks have been given back, when others may have booked already; shows where many share few accounts.
#include "interface.cuh"

#include <cstdint>

namespace bank {

struct Ledger {
    volatile std::int64_t* balance;
    volatile std::uint64_t* version;
    int* lock;
};

__device__ bool acquire_both(const Ledger& l, unsigned a, unsigned b) {
    if (atomicCAS(l.lock + a, 0, 1) != 0) return false;
    if (a != b && atomicCAS(l.lock + b, 0, 1) != 0) {
        atomicExch(l.lock + a, 0);
        return false;
    }
    __threadfence();
    return true;
}

__device__ void release_both(const Ledger& l, unsigned a, unsigned b) {
    __threadfence();
    atomicExch(l.lock + a, 0);
    if (a != b) atomicExch(l.lock + b, 0);
}

__device__ longlong4 snapshot(const Ledger& l, unsigned f, unsigned t) {
    return make_longlong4(l.version[f], l.version[t], l.balance[f], l.balance[t]);
}

__global__ void run(Ledger l, const std::uint32_t* from, const std::uint32_t* to,
                    const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const unsigned f = from[i], t = to[i];
        const unsigned lo = min(f, t), hi = max(f, t);
        const std::int64_t x = amount[i];
        longlong4 now;

        bool finished = false;
        do {
            if (acquire_both(l, lo, hi)) {
                l.balance[f] = l.balance[f] - x;
                l.balance[t] = l.balance[t] + x;
                l.version[f] = l.version[f] + 1;
                if (f != t) l.version[t] = l.version[t] + 1;
                release_both(l, lo, hi);
                now = snapshot(l, f, t);
                finished = true;
            }
        } while (!finished);

        receipt[4 * i] = now.x;
        receipt[4 * i + 1] = now.y;
        receipt[4 * i + 2] = now.z;
        receipt[4 * i + 3] = now.w;
    }
}

}  // namespace bank

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static int* lock = nullptr;
    static std::size_t capacity = 0;
    if (capacity < accounts) {
        cudaFree(lock);
        cudaMalloc(&lock, accounts * sizeof(int));
        capacity = accounts;
    }
    cudaMemset(lock, 0, accounts * sizeof(int));
    cudaMemset(version, 0, accounts * sizeof *version);
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    if (n == 0) return;
    const unsigned blocks = static_cast<unsigned>(n < 128 * 512 ? (n + 127) / 128 : 512);
    bank::run<<<blocks, 128>>>(bank::Ledger{balance, version, lock}, from, to, amount, n, receipt);
}
