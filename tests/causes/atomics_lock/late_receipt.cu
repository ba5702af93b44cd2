// cause: lock_not_held line 49
// task: transfers
// The receipt is read from the account after both locks have been given back, when others may have changed it already.
#include "interface.cuh"

struct __align__(16) Entry { long long balance; unsigned long long version; };

__global__ void start(const std::int64_t* opening, std::size_t accounts, Entry* entries, int* locks) {
    std::size_t a = blockIdx.x * 256ull + threadIdx.x;
    if (a >= accounts) return;
    entries[a] = Entry{opening[a], 0};
    locks[a] = 0;
}

__global__ void finish(const Entry* entries, std::size_t accounts, std::int64_t* balance, std::uint64_t* version) {
    std::size_t a = blockIdx.x * 256ull + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = entries[a].balance;
    version[a] = entries[a].version;
}

__global__ void move(volatile Entry* entries, int* locks, const std::uint32_t* from, const std::uint32_t* to,
                     const std::int64_t* amount, std::size_t n, std::int64_t* receipt) {
    std::size_t i = blockIdx.x * 256ull + threadIdx.x;
    if (i >= n) return;
    volatile Entry& f = entries[from[i]];
    volatile Entry& t = entries[to[i]];
    const bool same = from[i] == to[i];
    int* l1 = locks + (from[i] < to[i] ? from[i] : to[i]);
    int* l2 = locks + (from[i] < to[i] ? to[i] : from[i]);

    bool again = true;
    do {
        if (atomicCAS(l1, 0, 1) == 0) {
            if (same || atomicCAS(l2, 0, 1) == 0) {
                __threadfence();
                f.balance = f.balance - amount[i];
                t.balance = t.balance + amount[i];
                f.version = f.version + 1;
                if (!same) t.version = t.version + 1;
                __threadfence();
                if (!same) atomicExch(l2, 0);
                again = false;
            }
            atomicExch(l1, 0);
        }
    } while (again);

    receipt[4 * i + 0] = f.version;
    receipt[4 * i + 1] = t.version;
    receipt[4 * i + 2] = f.balance;
    receipt[4 * i + 3] = t.balance;
}

template <typename T>
static T* grow(T*& memory, std::size_t& have, std::size_t need) {
    if (need > have) {
        cudaFree(memory);
        cudaMalloc(&memory, need * sizeof(T));
        have = need;
    }
    return memory;
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt) {
    static Entry* entries = nullptr;
    static int* locks = nullptr;
    static std::size_t entriesHave = 0, locksHave = 0;
    grow(entries, entriesHave, accounts);
    grow(locks, locksHave, accounts);

    const unsigned grid = unsigned((accounts + 255) / 256);
    start<<<grid, 256>>>(opening, accounts, entries, locks);
    if (n != 0) move<<<unsigned((n + 255) / 256), 256>>>(entries, locks, from, to, amount, n, receipt);
    finish<<<grid, 256>>>(entries, accounts, balance, version);
}
