// cause: lock_taken_twice line 34
// task: transfers
// Accounts 256 apart share a lock, but only equal accounts are treated as one: a transfer between two of one stripe waits for the lock that it holds.
#include "interface.cuh"

namespace {

/// A fixed number of locks for any number of accounts: account a has lock a modulo the number.
template <unsigned Count>
struct Stripes {
    static_assert((Count & (Count - 1)) == 0, "the modulus is a mask");
    int* words;

    static __host__ __device__ unsigned of(std::uint32_t account) { return account & (Count - 1); }

    __device__ bool try_take(unsigned stripe) const { return atomicCAS(words + stripe, 0, 1) == 0; }
    __device__ void give_back(unsigned stripe) const { atomicExch(words + stripe, 0); }
};

using Locks = Stripes<256>;

/// The locks of a transfer's two accounts, the lower one first whichever way the money goes, so
/// that no circle of waiting threads can arise.
class Pair {
    Locks locks;
    unsigned first, second;
    bool two;

public:
    __device__ Pair(const Locks& l, std::uint32_t from, std::uint32_t to) : locks(l) {
        const unsigned a = Locks::of(from), b = Locks::of(to);
        first = a < b ? a : b;
        second = a < b ? b : a;
        two = from != to;  // from an account to itself: one lock is all there is
    }
    /// Both or none
    __device__ bool try_take() const {
        if (!locks.try_take(first)) return false;
        if (two && !locks.try_take(second)) {
            locks.give_back(first);
            return false;
        }
        __threadfence();
        return true;
    }
    __device__ void give_back() const {
        __threadfence();
        if (two) locks.give_back(second);
        locks.give_back(first);
    }
};

struct Bank {
    volatile std::int64_t* balance;
    volatile std::uint64_t* version;

    __device__ void change(std::uint32_t account, std::int64_t by) const {
        balance[account] = balance[account] + by;
    }
    __device__ void count(std::uint32_t account) const { version[account] = version[account] + 1; }
};

__global__ void transfer(const std::uint32_t* from, const std::uint32_t* to,
                         const std::int64_t* amount, std::size_t n, Bank bank, Locks locks,
                         std::int64_t* receipt) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i];
    const std::int64_t money = amount[i];
    const Pair pair(locks, f, t);

    // in, work and out within one turn of the loop: lanes of a warp may move in step
    bool done = false;
    while (!done) {
        if (pair.try_take()) {
            bank.change(f, -money);
            bank.change(t, money);
            bank.count(f);
            if (t != f) bank.count(t);
            std::int64_t* row = receipt + 4 * i;
            row[0] = static_cast<std::int64_t>(bank.version[f]);
            row[1] = static_cast<std::int64_t>(bank.version[t]);
            row[2] = bank.balance[f];
            row[3] = bank.balance[t];
            pair.give_back();
            done = true;
        }
    }
}

}  // namespace

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static int* words = nullptr;
    if (words == nullptr) cudaMalloc(&words, 256 * sizeof(int));
    cudaMemset(words, 0, 256 * sizeof(int));
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    transfer<<<blocks, 256>>>(from, to, amount, n, Bank{balance, version}, Locks{words}, receipt);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {
    // TODO
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {
    // TODO
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {
    // TODO
}
