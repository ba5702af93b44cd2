// cause: lock_order line 30 or 31
// task: transfers
// Each transfer takes the lock of the payer first and then waits for the payee's, so two transfers in opposite directions wait for each other for ever.
#include "interface.cuh"

struct Mutex {
    int taken;
    __device__ bool try_lock() { return atomicCAS(&taken, 0, 1) == 0; }
    __device__ void unlock() { __threadfence(); atomicExch(&taken, 0); }
};

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts, std::int64_t* balance,
                              std::uint64_t* version, Mutex* mutexes)
{
    for (std::size_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts; a += gridDim.x * blockDim.x) {
        balance[a] = opening[a];
        version[a] = 0;
        mutexes[a].taken = 0;
    }
}

__global__ void book(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
                     volatile std::int64_t* balance, volatile std::uint64_t* version, std::int64_t* receipt,
                     Mutex* mutexes)
{
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;

    const std::uint32_t f = from[i], t = to[i];
    Mutex& first = mutexes[f];
    Mutex& second = mutexes[t];

    bool booked = false;
    while (!booked) {
        if (first.try_lock()) {
            if (f != t)
                while (!second.try_lock())
                    ;
            __threadfence();

            balance[f] = balance[f] - amount[i];
            balance[t] = balance[t] + amount[i];
            version[f] = version[f] + 1;
            if (f != t)
                version[t] = version[t] + 1;
            receipt[4 * i + 0] = version[f];
            receipt[4 * i + 1] = version[t];
            receipt[4 * i + 2] = balance[f];
            receipt[4 * i + 3] = balance[t];

            if (f != t)
                second.unlock();
            first.unlock();
            booked = true;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt)
{
    Mutex* mutexes;
    cudaMalloc(&mutexes, accounts * sizeof(Mutex));
    open_accounts<<<(accounts + 255) / 256, 256>>>(opening, accounts, balance, version, mutexes);
    if (n > 0)
        book<<<(n + 127) / 128, 128>>>(from, to, amount, n, balance, version, receipt, mutexes);
    cudaFree(mutexes);
}
