// cause: lock_taken_twice line 47
// task: transfers
// A transfer from an account to itself asks for the second lock although it is the one that it holds, gives up, and tries again for ever.
#include "interface.cuh"

namespace {

struct Account {
    std::int64_t balance;
    unsigned long long version;
    int taken;
};

__device__ bool try_lock(volatile Account* account) {
    return atomicCAS(const_cast<int*>(&account->taken), 0, 1) == 0;
}

__device__ void unlock(volatile Account* account) { atomicExch(const_cast<int*>(&account->taken), 0); }

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts, Account* bank) {
    for (std::size_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts; a += blockDim.x * gridDim.x) {
        bank[a] = Account{opening[a], 0, 0};
    }
}

__global__ void close_accounts(const Account* bank, std::size_t accounts, std::int64_t* balance,
                               std::uint64_t* version) {
    for (std::size_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts; a += blockDim.x * gridDim.x) {
        balance[a] = bank[a].balance;
        version[a] = bank[a].version;
    }
}

__global__ void book(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, Account* bank, std::int64_t* receipt) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    bool open = i < n;
    if (!open) return;
    volatile Account* const payer = bank + from[i];
    volatile Account* const payee = bank + to[i];
    volatile Account* const lower = payer < payee ? payer : payee;
    volatile Account* const upper = payer < payee ? payee : payer;
    const std::int64_t sum = amount[i];

    while (open) {
        if (try_lock(lower)) {
            if (try_lock(upper)) {
                __threadfence();
                payer->balance = payer->balance - sum;
                payee->balance = payee->balance + sum;
                payer->version = payer->version + 1;
                if (payee != payer) payee->version = payee->version + 1;
                receipt[4 * i] = payer->version;
                receipt[4 * i + 1] = payee->version;
                receipt[4 * i + 2] = payer->balance;
                receipt[4 * i + 3] = payee->balance;
                open = false;
                __threadfence();
                if (upper != lower) unlock(upper);
            }
            unlock(lower);
        }
    }
}

}  // namespace

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Account* bank = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(bank);
        cudaMalloc(&bank, accounts * sizeof(Account));
        capacity = accounts;
    }
    open_accounts<<<64, 256>>>(opening, accounts, bank);
    if (n > 0) book<<<(n + 63) / 64, 64>>>(from, to, amount, n, bank, receipt);
    close_accounts<<<64, 256>>>(bank, accounts, balance, version);
}
