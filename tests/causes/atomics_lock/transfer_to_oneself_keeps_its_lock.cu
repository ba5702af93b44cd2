// cause: lock_not_released line 58 or 59
// task: transfers
// a transfer from an account to itself leaves the loop without giving its lock back: the next one waits for ever
#include "interface.cuh"

namespace {

// What belongs to the accounts. All arrays are in device memory.
struct Bank {
    std::int64_t* balance;
    std::uint64_t* version;
    int* busy;  // 0: free, 1: somebody works on the account

    __device__ bool try_lock(std::uint32_t a) const {
        if (atomicCAS(busy + a, 0, 1) != 0) return false;
        __threadfence();
        return true;
    }
    __device__ void unlock(std::uint32_t a) const {
        __threadfence();
        atomicExch(busy + a, 0);
    }
};

struct Receipt {
    std::int64_t version_from, version_to, balance_from, balance_to;
};

__device__ Receipt read(const Bank& bank, std::uint32_t f, std::uint32_t t) {
    return {static_cast<std::int64_t>(bank.version[f]), static_cast<std::int64_t>(bank.version[t]),
            bank.balance[f], bank.balance[t]};
}

__global__ void open_accounts(Bank bank, const std::int64_t* opening, std::size_t accounts) {
    const std::size_t a = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    bank.balance[a] = opening[a];
    bank.version[a] = 0;
    bank.busy[a] = 0;
}

__global__ void book(Bank bank, const std::uint32_t* from, const std::uint32_t* to,
                     const std::int64_t* amount, std::size_t n, Receipt* receipts) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i];
    const std::uint32_t t = to[i];
    const std::uint32_t low = min(f, t);
    const std::uint32_t high = max(f, t);

    // Take both or none, and work within the same turn of the loop (lanes of a warp!)
    while (true) {
        if (!bank.try_lock(low)) continue;

        if (low == high) {
            // the money goes round in a circle, only the version counts
            bank.version[f] += 1;
            receipts[i] = read(bank, f, f);
            break;
        }

        if (bank.try_lock(high)) {
            bank.balance[f] -= amount[i];
            bank.balance[t] += amount[i];
            bank.version[f] += 1;
            bank.version[t] += 1;
            receipts[i] = read(bank, f, t);
            bank.unlock(high);
            bank.unlock(low);
            break;
        }
        bank.unlock(low);
    }
}

unsigned grid(std::size_t n) { return static_cast<unsigned>((n + 127) / 128); }

}  // namespace

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static int* busy = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(busy);
        cudaMalloc(&busy, accounts * sizeof *busy);
        capacity = accounts;
    }
    const Bank bank{balance, version, busy};
    open_accounts<<<grid(accounts), 128>>>(bank, opening, accounts);
    if (n == 0) return;
    book<<<grid(n), 128>>>(bank, from, to, amount, n, reinterpret_cast<Receipt*>(receipt));
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
