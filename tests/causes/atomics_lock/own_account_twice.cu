// cause: lock_taken_twice line 53
// task: transfers
// a transfer from an account to itself takes the account's lock and then waits for the same lock; hangs when such a transfer occurs
#include "interface.cuh"
#include <cuda_runtime.h>

namespace bank {

struct alignas(8) Account {
    long long balance;
    unsigned version;
    unsigned lock;
};

__global__ void open(const std::int64_t* opening, std::size_t count, Account* a) {
    const std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (k < count) {
        a[k].balance = opening[k];
        a[k].version = 0;
        a[k].lock = 0;
    }
}

__global__ void close(const Account* a, std::size_t count, std::int64_t* balance, std::uint64_t* version) {
    const std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (k < count) {
        balance[k] = a[k].balance;
        version[k] = a[k].version;
    }
}

__device__ void move(volatile Account& f, volatile Account& t, bool same, long long amount, std::int64_t* slip) {
    f.balance = f.balance - amount;
    t.balance = t.balance + amount;
    f.version = f.version + 1;
    if (!same) t.version = t.version + 1;
    slip[0] = f.version;
    slip[1] = t.version;
    slip[2] = f.balance;
    slip[3] = t.balance;
}

__global__ void work(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, Account* a, std::int64_t* receipt) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i];
    Account& low = a[f < t ? f : t];
    Account& high = a[f < t ? t : f];

    for (bool booked = false; !booked;) {
        if (atomicCAS(&low.lock, 0u, 1u) != 0u) continue;
        if (atomicCAS(&high.lock, 0u, 1u) == 0u) {
            __threadfence();
            move(a[f], a[t], f == t, amount[i], receipt + 4 * i);
            __threadfence();
            if (f != t) atomicExch(&high.lock, 0u);
            booked = true;
        }
        atomicExch(&low.lock, 0u);
    }
}

}  // namespace bank

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n, std::int64_t* balance,
               std::uint64_t* version, std::int64_t* receipt) {
    static bank::Account* book = nullptr;
    static std::size_t size = 0;
    if (accounts > size) {
        cudaFree(book);
        cudaMalloc(&book, accounts * sizeof(bank::Account));
        size = accounts;
    }
    const unsigned blocks = unsigned((accounts + 255) / 256);
    bank::open<<<blocks, 256>>>(opening, accounts, book);
    if (n > 0) bank::work<<<unsigned((n + 127) / 128), 128>>>(from, to, amount, n, book, receipt);
    bank::close<<<blocks, 256>>>(book, accounts, balance, version);
}
