// cause: lock_taken_twice line 54
// task: transfers
// For a transfer from an account to itself, low == high: the thread has the lock already when it
// asks for it the second time, and asks for ever.
#include "interface.cuh"

#include <algorithm>

struct Account {  // what belongs together lies side by side
    unsigned long long busy;
    unsigned long long version;
    long long balance;
    long long unused;
};

class Bank {
public:
    Account* accounts = nullptr;

    __device__ bool try_take(std::uint32_t a) const {
        return atomicCAS(&accounts[a].busy, 0ull, 1ull) == 0ull;
    }
    __device__ void give_back(std::uint32_t a) const { atomicExch(&accounts[a].busy, 0ull); }
};

__global__ void fill_bank(Bank bank, const std::int64_t* opening, std::size_t count) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         a < count; a += stride) {
        bank.accounts[a] = Account{0, 0, opening[a], 0};
    }
}

__global__ void empty_bank(Bank bank, std::size_t count, std::int64_t* balance,
                           std::uint64_t* version) {
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= count) return;
    balance[a] = bank.accounts[a].balance;
    version[a] = bank.accounts[a].version;
}

__global__ void transact(Bank bank, const std::uint32_t* from, const std::uint32_t* to,
                         const std::int64_t* amount, std::size_t n, longlong4* receipt) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t low = min(from[i], to[i]);
    const std::uint32_t high = max(from[i], to[i]);
    volatile Account* payer = bank.accounts + from[i];
    volatile Account* payee = bank.accounts + to[i];
    longlong4 r;

    for (bool waiting = true; waiting;) {
        if (bank.try_take(low)) {
            if (bank.try_take(high)) {
                __threadfence();
                payer->balance = payer->balance - amount[i];
                payee->balance = payee->balance + amount[i];
                payer->version = payer->version + 1;
                if (payer != payee) payee->version = payee->version + 1;
                r.x = static_cast<long long>(payer->version);
                r.y = static_cast<long long>(payee->version);
                r.z = payer->balance;
                r.w = payee->balance;
                __threadfence();
                waiting = false;
                if (low != high) bank.give_back(high);
            }
            bank.give_back(low);
        }
    }
    receipt[i] = r;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Bank bank;
    static std::size_t room = 0;
    if (room < accounts) {
        if (bank.accounts) cudaFree(bank.accounts);
        cudaMalloc(&bank.accounts, sizeof(Account) * accounts);
        room = accounts;
    }
    const auto grid = [](std::size_t work) { return static_cast<unsigned>((work + 191) / 192); };
    fill_bank<<<std::min(grid(accounts), 1024u), 192>>>(bank, opening, accounts);
    if (n) {
        transact<<<grid(n), 192>>>(bank, from, to, amount, n,
                                   reinterpret_cast<longlong4*>(receipt));
    }
    empty_bank<<<grid(accounts), 192>>>(bank, accounts, balance, version);
}
