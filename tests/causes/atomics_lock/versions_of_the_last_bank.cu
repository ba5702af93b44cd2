// cause: state_kept_between_calls line 84
// task: transfers
// the kept accounts are cleared only when they are allocated anew: a call for no more accounts than before goes on from the old versions
#include "interface.cuh"

// Lock, version and balance next to each other: one trip to memory for all of them.
struct alignas(32) Account {
    int taken;
    unsigned long long version;
    long long balance;
};

struct Order {
    std::uint32_t from, to;
    long long amount;
};

struct Bank {
    Account* accounts;

    __device__ bool try_lock(std::uint32_t a) const {
        return atomicCAS(&accounts[a].taken, 0, 1) == 0;
    }
    __device__ void unlock(std::uint32_t a) const { atomicExch(&accounts[a].taken, 0); }

    // Both locks are held here.
    __device__ void book(const Order& o, long long* receipt) const {
        volatile Account& f = accounts[o.from];
        volatile Account& t = accounts[o.to];
        f.balance = f.balance - o.amount;
        f.version = f.version + 1;
        t.balance = t.balance + o.amount;
        if (o.from != o.to) t.version = t.version + 1;
        receipt[0] = static_cast<long long>(f.version);
        receipt[1] = static_cast<long long>(t.version);
        receipt[2] = f.balance;
        receipt[3] = t.balance;
    }
};

__global__ void open_accounts(Bank bank, const std::int64_t* opening, std::size_t count) {
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < count) bank.accounts[a].balance = opening[a];
}

__global__ void execute(Bank bank, const std::uint32_t* from, const std::uint32_t* to,
                        const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Order o{from[i], to[i], amount[i]};
    const std::uint32_t low = min(o.from, o.to), high = max(o.from, o.to);
    long long mine[4];
    bool done = false;
    while (!done) {
        // lower number first, and everything is given back in the same turn
        if (bank.try_lock(low)) {
            if (low == high || bank.try_lock(high)) {
                __threadfence();
                bank.book(o, mine);
                __threadfence();
                if (low != high) bank.unlock(high);
                done = true;
            }
            bank.unlock(low);
        }
    }
    for (int k = 0; k < 4; ++k) receipt[4 * i + k] = mine[k];
}

__global__ void close_accounts(Bank bank, std::size_t count, std::int64_t* balance,
                               std::uint64_t* version) {
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= count) return;
    balance[a] = bank.accounts[a].balance;
    version[a] = bank.accounts[a].version;
}

static Bank empty_bank(std::size_t count) {
    static Bank bank{nullptr};
    static std::size_t room = 0;
    if (count > room) {
        cudaFree(bank.accounts);
        cudaMalloc(&bank.accounts, count * sizeof(Account));
        cudaMemset(bank.accounts, 0, count * sizeof(Account));
        room = count;
    }
    return bank;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    const auto grid = [](std::size_t items) { return static_cast<unsigned>((items + 127) / 128); };
    const Bank bank = empty_bank(accounts);
    open_accounts<<<grid(accounts), 128>>>(bank, opening, accounts);
    if (n > 0) execute<<<grid(n), 128>>>(bank, from, to, amount, n, receipt);
    close_accounts<<<grid(accounts), 128>>>(bank, accounts, balance, version);
}
