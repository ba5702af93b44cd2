// cause: lock_taken_twice line 46
// task: transfers
// For a transfer from an account to itself the thread tries to take the lock that it holds already and never gets it.
#include "interface.cuh"

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

struct Account {
    std::int64_t balance;
    std::uint64_t version;
    int busy;
};

__global__ void prepare(Account* account, const std::int64_t* opening, std::size_t accounts) {
    for (std::size_t a = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x; a < accounts;
         a += std::size_t{gridDim.x} * blockDim.x)
        account[a] = Account{opening[a], 0, 0};
}

__global__ void finish(const Account* account, std::size_t accounts, std::int64_t* balance,
                       std::uint64_t* version) {
    for (std::size_t a = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x; a < accounts;
         a += std::size_t{gridDim.x} * blockDim.x) {
        balance[a] = account[a].balance;
        version[a] = account[a].version;
    }
}

/// The account with the lower number always comes first, so there is no circle of waiting threads.
__global__ void transfer(Account* account, const std::uint32_t* from, const std::uint32_t* to,
                         const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    const std::size_t i = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x;
    if (i >= n) return;

    Account* const low = account + min(from[i], to[i]);
    Account* const high = account + max(from[i], to[i]);
    volatile Account* const f = account + from[i];
    volatile Account* const t = account + to[i];

    bool booked = false;
    while (!booked) {
        if (atomicCAS(&low->busy, 0, 1) == 0) {
            if (atomicCAS(&high->busy, 0, 1) == 0) {
                __threadfence();
                f->balance = f->balance - amount[i];
                t->balance = t->balance + amount[i];
                f->version = f->version + 1;
                if (f != t) t->version = t->version + 1;
                receipt[4 * i] = static_cast<std::int64_t>(f->version);
                receipt[4 * i + 1] = static_cast<std::int64_t>(t->version);
                receipt[4 * i + 2] = f->balance;
                receipt[4 * i + 3] = t->balance;
                booked = true;
                __threadfence();
                if (high != low) atomicExch(&high->busy, 0);
            }
            atomicExch(&low->busy, 0);
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    Account* account = nullptr;
    cudaMalloc(&account, accounts * sizeof(Account));
    prepare<<<32, 128>>>(account, opening, accounts);
    if (n != 0)
        transfer<<<static_cast<unsigned>((n + 127) / 128), 128>>>(account, from, to, amount, n,
                                                                  receipt);
    finish<<<32, 128>>>(account, accounts, balance, version);
    cudaFree(account);
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
