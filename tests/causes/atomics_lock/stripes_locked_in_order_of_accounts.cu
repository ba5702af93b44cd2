// cause: lock_order line 68
// task: transfers
// Locks are striped over the accounts, but taken in the order of the account numbers, not of the stripes: with more accounts than stripes two threads wait for each other for ever.
#include "interface.cuh"

// One lock for each account costs too much memory, so a lock guards a whole stripe of accounts:
// account a belongs to stripe a % stripes.

namespace bank {

using i64 = long long;
using u64 = unsigned long long;

constexpr unsigned stripes = 256;  // power of two
constexpr int block_size = 128;

__device__ unsigned stripe_locks[stripes];

__device__ __forceinline__ unsigned stripe_of(unsigned account) { return account & (stripes - 1); }

__device__ __forceinline__ bool try_lock(unsigned s) {
    if (atomicCAS(&stripe_locks[s], 0u, 1u) != 0u) return false;
    __threadfence();
    return true;
}

__device__ __forceinline__ void unlock(unsigned s) {
    __threadfence();
    atomicExch(&stripe_locks[s], 0u);
}

struct Books {
    volatile i64* balance;
    volatile u64* version;

    // f pays, t gets. Both stripes are ours while we are in here.
    __device__ void book(unsigned f, unsigned t, i64 amount, i64* receipt) const {
        balance[f] = balance[f] - amount;
        balance[t] = balance[t] + amount;
        version[f] = version[f] + 1;
        if (f != t) version[t] = version[t] + 1;
        receipt[0] = static_cast<i64>(version[f]);
        receipt[1] = static_cast<i64>(version[t]);
        receipt[2] = balance[f];
        receipt[3] = balance[t];
    }
};

__global__ void open_accounts(const std::int64_t* opening, std::size_t accounts, i64* balance,
                              u64* version) {
    const std::size_t a = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (a < stripes) stripe_locks[a] = 0;
    if (a >= accounts) return;
    balance[a] = opening[a];
    version[a] = 0;
}

__global__ void run(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                    std::size_t n, Books books, i64* receipts) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= n) return;

    const unsigned f = from[i];
    const unsigned t = to[i];
    i64 receipt[4];

    // The smaller one first, so that no circle of waiting threads can form.
    const bool swapped = f > t;
    const unsigned first = stripe_of(swapped ? t : f);
    const unsigned second = stripe_of(swapped ? f : t);

    bool done = false;
    while (!done) {
        if (try_lock(first)) {
            // Two accounts may share a stripe: then one lock is enough.
            if (second != first) {
                while (!try_lock(second)) {
                }
            }
            books.book(f, t, amount[i], receipt);
            if (second != first) unlock(second);
            unlock(first);
            done = true;
        }
    }

    for (int k = 0; k < 4; ++k) receipts[4 * i + k] = receipt[k];
}

inline unsigned blocks_for(std::size_t n) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

}  // namespace bank

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    auto* b = reinterpret_cast<bank::i64*>(balance);
    auto* v = reinterpret_cast<bank::u64*>(version);
    const std::size_t cells = accounts > bank::stripes ? accounts : bank::stripes;
    bank::open_accounts<<<bank::blocks_for(cells), bank::block_size>>>(opening, accounts, b, v);
    if (n == 0) return;
    bank::run<<<bank::blocks_for(n), bank::block_size>>>(from, to, amount, n, bank::Books{b, v},
                                                         reinterpret_cast<bank::i64*>(receipt));
}
