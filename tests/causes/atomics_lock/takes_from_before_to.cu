// cause: lock_order line 29
// task: transfers
// Each thread locks the paying account first and the receiving one second. A transfer from A to B
// and one from B to A each hold what the other waits for.
#include "interface.cuh"

// lock word of each account: 0 = free, 1 = taken
static unsigned int* g_locks = nullptr;
static size_t g_capacity = 0;

__global__ void open_accounts(const int64_t* opening, size_t accounts, int64_t* balance,
                              uint64_t* version, unsigned int* locks) {
    size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        locks[a] = 0;
    }
}

__global__ void book(const uint32_t* from, const uint32_t* to, const int64_t* amount, size_t n,
                     volatile int64_t* balance, volatile uint64_t* version, int64_t* receipt,
                     unsigned int* locks) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;

    uint32_t f = from[i];
    uint32_t t = to[i];
    uint32_t one = f, two = t;
    bool booked = false;

    while (!booked) {
        if (atomicCAS(&locks[one], 0u, 1u) != 0u) continue;
        if (two != one) {
            // we hold the first, so the second will come in time
            while (atomicCAS(&locks[two], 0u, 1u) != 0u) {
                __nanosleep(20);
            }
        }
        __threadfence();

        balance[f] -= amount[i];
        balance[t] += amount[i];
        version[f] += 1;
        if (t != f) version[t] += 1;
        receipt[4 * i + 0] = version[f];
        receipt[4 * i + 1] = version[t];
        receipt[4 * i + 2] = balance[f];
        receipt[4 * i + 3] = balance[t];

        __threadfence();
        if (two != one) atomicExch(&locks[two], 0u);
        atomicExch(&locks[one], 0u);
        booked = true;
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    if (accounts > g_capacity) {
        cudaFree(g_locks);
        cudaMalloc(&g_locks, accounts * sizeof(unsigned int));
        g_capacity = accounts;
    }
    unsigned int blocks = (unsigned int)((accounts + 255) / 256);
    open_accounts<<<blocks, 256>>>(opening, accounts, balance, version, g_locks);
    if (n > 0) {
        blocks = (unsigned int)((n + 127) / 128);
        book<<<blocks, 128>>>(from, to, amount, n, balance, version, receipt, g_locks);
    }
}
