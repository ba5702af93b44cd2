// cause: lock_order line 39 or 40
// task: transfers
// each thread takes the lock of its own from first, so A to B and B to A can hold one lock each and wait for the other; hangs where many share few accounts.
#include "interface.cuh"

#define FREE  0
#define TAKEN 1

__global__ void open_accounts(const int64_t* opening, size_t accounts, int64_t* balance,
                              uint64_t* version, int* locks)
{
    size_t a = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = opening[a];
    version[a] = 0;
    locks[a] = FREE;
}

__device__ void book(uint32_t f, uint32_t t, int64_t amount, volatile int64_t* balance,
                     volatile uint64_t* version, int64_t* receipt)
{
    balance[f] = balance[f] - amount;
    balance[t] = balance[t] + amount;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    receipt[0] = version[f];
    receipt[1] = version[t];
    receipt[2] = balance[f];
    receipt[3] = balance[t];
}

__global__ void book_all(const uint32_t* from, const uint32_t* to, const int64_t* amount, size_t n,
                         int64_t* balance, uint64_t* version, int* locks, int64_t* receipt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    uint32_t f = from[i], t = to[i];
    uint32_t a = f;
    uint32_t b = t;

    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[a], FREE, TAKEN) == FREE) {
            if (b != a)
                while (atomicCAS(&locks[b], FREE, TAKEN) != FREE) { }
            __threadfence();
            book(f, t, amount[i], balance, version, receipt + 4 * i);
            __threadfence();
            if (b != a) atomicExch(&locks[b], FREE);
            atomicExch(&locks[a], FREE);
            done = true;
        }
    }
}

void transfers(const int64_t* opening, size_t accounts, const uint32_t* from, const uint32_t* to,
               const int64_t* amount, size_t n, int64_t* balance, uint64_t* version,
               int64_t* receipt)
{
    int* locks;
    cudaMalloc(&locks, accounts * sizeof(int));
    open_accounts<<<(accounts + 255) / 256, 256>>>(opening, accounts, balance, version, locks);
    if (n)
        book_all<<<(n + 255) / 256, 256>>>(from, to, amount, n, balance, version, locks, receipt);
    cudaFree(locks);
}
