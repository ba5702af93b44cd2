// cause: lock_order line 33
// task: transfers
// The account that pays is locked first and then held while waiting for the other, so transfers in opposite directions block each other.
#include "interface.cuh"

static int* d_locks = nullptr;
static std::size_t d_capacity = 0;

__device__ bool tryLock(int* l) { return atomicCAS(l, 0, 1) == 0; }
__device__ void release(int* l) { atomicExch(l, 0); }

__device__ void book(std::uint32_t f, std::uint32_t t, std::int64_t amount,
                     volatile std::int64_t* balance, volatile std::uint64_t* version,
                     std::int64_t* receipt) {
    balance[f] = balance[f] - amount;
    balance[t] = balance[t] + amount;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    receipt[0] = version[f];
    receipt[1] = version[t];
    receipt[2] = balance[f];
    receipt[3] = balance[t];
}

__global__ void run_transfers(const std::uint32_t* from, const std::uint32_t* to,
                              const std::int64_t* amount, std::size_t n, std::int64_t* balance,
                              std::uint64_t* version, std::int64_t* receipt, int* locks) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint32_t f = from[i];
    std::uint32_t t = to[i];

    int* outer = &locks[f];
    int* inner = &locks[t];
    bool haveOuter = false;
    bool done = false;
    while (!done) {
        if (!haveOuter) haveOuter = tryLock(outer);
        if (haveOuter && (inner == outer || tryLock(inner))) {
            __threadfence();
            book(f, t, amount[i], balance, version, receipt + 4 * i);
            __threadfence();
            if (inner != outer) release(inner);
            release(outer);
            done = true;
        }
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    if (accounts > d_capacity) {
        cudaFree(d_locks);
        cudaMalloc(&d_locks, accounts * sizeof(int));
        d_capacity = accounts;
    }
    cudaMemset(d_locks, 0, accounts * sizeof(int));
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    if (n == 0) return;
    run_transfers<<<(n + 127) / 128, 128>>>(from, to, amount, n, balance, version, receipt,
                                            d_locks);
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
