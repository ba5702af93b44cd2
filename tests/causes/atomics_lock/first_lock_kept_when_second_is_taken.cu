// cause: lock_not_released line 211
// task: transfers
// A thread that does not get the second account keeps the first one, and then waits for it itself: shows when threads want the same account.
#include "interface.cuh"

#include <algorithm>
#include <cstdint>
#include <climits>

namespace mine {

using Word64 = unsigned long long;
constexpr unsigned all_lanes = 0xffffffffu;

/// Replaces *word by f(*word), as one indivisible step; returns what it was.
template <class T, class F>
__device__ T update(T* word, F f) {
    T seen = *const_cast<volatile T*>(word);
    while (true) {
        const T old = atomicCAS(word, seen, f(seen));
        if (old == seen) return old;
        seen = old;
    }
}

__device__ double atomic_add_double(double* address, double value) {
    const Word64 old = update(reinterpret_cast<Word64*>(address), [=](Word64 bits) {
        return static_cast<Word64>(
            __double_as_longlong(__longlong_as_double(static_cast<long long>(bits)) + value));
    });
    return __longlong_as_double(static_cast<long long>(old));
}

/// The lanes with the same target go as one. Called by all lanes of a warp.
__device__ double add_as_warp(double* sums, unsigned target, double value, bool takes_part) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned peers =
        __match_any_sync(all_lanes, takes_part ? static_cast<Word64>(target) : ~0ull);
    double mine = 0, together = 0;
    for (unsigned j = 0; j < 32; ++j) {
        const double other = __shfl_sync(all_lanes, value, j);
        if (peers >> j & 1) {
            together += other;
            if (j < lane) mine += other;
        }
    }
    const unsigned leader = __ffs(peers) - 1;
    double old = 0;
    if (takes_part && lane == leader) old = atomic_add_double(&sums[target], together);
    old = __shfl_sync(all_lanes, old, leader);
    return old + mine;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool inside = i < n;
    const double old =
        add_as_warp(totals, inside ? targets[i] : 0, inside ? values[i] : 0.0, inside);
    if (inside) before[i] = old;
}

template <unsigned Most>
__global__ void add_few_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                               double* totals, unsigned m, double* before) {
    __shared__ double sum[Most], base[Most];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) sum[t] = 0.0;
    __syncthreads();
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool inside = i < n;
    const unsigned target = inside ? targets[i] : 0;
    const double old = add_as_warp(sum, target, inside ? values[i] : 0.0, inside);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        base[t] = sum[t] != 0.0 ? atomic_add_double(&totals[t], sum[t]) : 0.0;
    }
    __syncthreads();
    if (inside) before[i] = base[target] + old;
}

// ---------------------------------------------------------------------------------------------

struct Top {
    long long value, place;
};

__device__ bool operator>(const Top& a, const Top& b) {
    return a.value != b.value ? a.value > b.value : a.place < b.place;
}

class SpinLock {
public:
    __device__ void lock() {
        while (atomicExch(&word, 1) != 0) __nanosleep(100);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&word, 0);
    }

private:
    int word = 0;
};

__device__ SpinLock the_lock;

constexpr unsigned sections_per_block = 8;

/// A warp searches a section; then thread 0 enters the sections of all warps, one after the other.
__global__ void sections_kernel(const int* values, std::size_t sections, std::size_t length,
                                std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    __shared__ Top tops[sections_per_block];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const std::size_t first = std::size_t(blockIdx.x) * sections_per_block;
    const std::size_t s = first + warp;
    Top top{LLONG_MIN, LLONG_MAX};
    if (s < sections) {
        for (std::size_t k = s * length + lane; k < (s + 1) * length; k += 32) {
            const Top here{values[k], static_cast<long long>(k)};
            if (here > top) top = here;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        const Top other{__shfl_down_sync(all_lanes, top.value, d),
                        __shfl_down_sync(all_lanes, top.place, d)};
        if (other > top) top = other;
    }
    if (lane == 0) tops[warp] = top;
    __syncthreads();
    if (threadIdx.x != 0) return;

    volatile std::int64_t* vbest = best;
    volatile std::uint64_t* vrecord = record;
    the_lock.lock();
    std::uint64_t entries = vrecord[0], checksum = vrecord[1];
    Top record_top{0, 0};
    if (entries > 0) record_top = Top{vbest[0], vbest[1]};
    for (unsigned k = 0; k < sections_per_block && first + k < sections; ++k) {
        if (entries == 0 || tops[k] > record_top) record_top = tops[k];
        order[entries] = static_cast<std::uint32_t>(first + k);
        ++entries;
        checksum = checksum * checksum_multiplier + (first + k + 1);
    }
    vbest[0] = record_top.value;
    vbest[1] = record_top.place;
    vrecord[0] = entries;
    vrecord[1] = checksum;
    the_lock.unlock();
}

// ---------------------------------------------------------------------------------------------

/// All that belongs to an account, side by side.
struct alignas(32) Account {
    long long balance;
    Word64 version;
    unsigned lock;

    __device__ bool try_lock() { return atomicCAS(&lock, 0u, 1u) == 0u; }
    __device__ void unlock() { atomicExch(&lock, 0u); }
};

__global__ void open_accounts(Account* account, const std::int64_t* opening, std::size_t accounts) {
    const std::size_t a = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < accounts) account[a] = Account{opening[a], 0, 0};
}

__global__ void close_accounts(const Account* account, std::size_t accounts, std::int64_t* balance,
                               std::uint64_t* version) {
    const std::size_t a = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = account[a].balance;
        version[a] = account[a].version;
    }
}

__device__ void move(volatile Account& from, volatile Account& to, bool same, long long amount,
                     std::int64_t* receipt) {
    const long long f = from.balance - amount;
    const Word64 fv = from.version + 1;
    const long long t = same ? f + amount : to.balance + amount;
    const Word64 tv = same ? fv : to.version + 1;
    from.balance = f;
    from.version = fv;
    to.balance = t;
    to.version = tv;
    receipt[0] = static_cast<std::int64_t>(fv);
    receipt[1] = static_cast<std::int64_t>(tv);
    receipt[2] = same ? t : f;
    receipt[3] = t;
}

__global__ void transfer_kernel(Account* account, const std::uint32_t* from,
                                const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
                                std::int64_t* receipt) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned f = from[i], t = to[i];
    Account& first = account[min(f, t)];
    Account& second = account[max(f, t)];
    for (bool done = false; !done;) {
        if (!first.try_lock()) continue;
        if (f == t || second.try_lock()) {
            __threadfence();
            move(account[f], account[t], f == t, amount[i], receipt + 4 * i);
            __threadfence();
            if (f != t) second.unlock();
            first.unlock();
            done = true;
        }
    }
}

// ---------------------------------------------------------------------------------------------

template <class T>
__global__ void start_words(T* result, T* head) {
    const T none = 0, all = ~none;
    const T start[10] = {none, none, none, none, all, none, all, none, none, 1};
    for (int k = 0; k < 10; ++k) result[k] = start[k];
    *head = all;
}

template <class T, class F>
__device__ T warp_reduce(T v, F f) {
    for (int d = 16; d > 0; d >>= 1) v = f(v, __shfl_down_sync(all_lanes, v, d));
    return v;
}

template <class T>
__global__ void ops_kernel(const T* in, std::size_t n, T limit, T* result, T* head, T* next) {
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    T sum = 0, low = ~T(0), high = 0, all = ~T(0), any = 0, odd = 0, product = 1;
    Word64 count = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        const T a = in[i];
        sum += a;
        low = min(low, a);
        high = max(high, a);
        all &= a;
        any |= a;
        odd ^= a;
        product *= a | 1;
        ++count;
        // Chains of 32 elements each.
        next[i] = i % 32 != 0 ? T(i - 1) : atomicExch(head, T(min(i + 31, n - 1)));
    }
    sum = warp_reduce(sum, [](T a, T b) { return a + b; });
    low = warp_reduce(low, [](T a, T b) { return min(a, b); });
    high = warp_reduce(high, [](T a, T b) { return max(a, b); });
    all = warp_reduce(all, [](T a, T b) { return a & b; });
    any = warp_reduce(any, [](T a, T b) { return a | b; });
    odd = warp_reduce(odd, [](T a, T b) { return a ^ b; });
    product = warp_reduce(product, [](T a, T b) { return a * b; });
    count = warp_reduce(count, [](Word64 a, Word64 b) { return a + b; });
    if (threadIdx.x % 32 != 0 || count == 0) return;

    const Word64 period = Word64(limit) + 1;  // inc and dec run in a circle; limit has 32 bits
    const Word64 turns = count % period;
    atomicAdd(&result[0], sum);
    atomicAdd(&result[1], T(0) - sum);
    update(&result[2], [=](T w) { return T((w + turns) % period); });
    update(&result[3], [=](T w) { return T((w + period - turns) % period); });
    atomicMin(&result[4], low);
    atomicMax(&result[5], high);
    atomicAnd(&result[6], all);
    atomicOr(&result[7], any);
    atomicXor(&result[8], odd);
    update(&result[9], [=](T w) { return w * product; });
}

template <class T>
void ops(const T* in, std::size_t n, T limit, T* result, T* head, T* next) {
    start_words<<<1, 1>>>(result, head);
    if (n == 0) return;
    const std::size_t blocks = std::min<std::size_t>((n + 1023) / 1024, 132);
    ops_kernel<<<unsigned(blocks), 256>>>(in, n, limit, result, head, next);
}

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + 255) / 256); }

}  // namespace mine

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    constexpr unsigned most = 512;
    if (m <= most) {
        mine::add_few_kernel<most>
            <<<mine::blocks_for(n), 256>>>(values, targets, n, totals, unsigned(m), before);
    } else {
        mine::add_kernel<<<mine::blocks_for(n), 256>>>(values, targets, n, totals, before);
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    const std::size_t blocks = (sections + mine::sections_per_block - 1) / mine::sections_per_block;
    mine::sections_kernel<<<unsigned(blocks), mine::sections_per_block * 32>>>(
        values, sections, length, best, record, order);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static mine::Account* account = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(account);
        cudaMalloc(&account, accounts * sizeof *account);
        capacity = accounts;
    }
    mine::open_accounts<<<mine::blocks_for(accounts), 256>>>(account, opening, accounts);
    if (n > 0) {
        mine::transfer_kernel<<<mine::blocks_for(n), 256>>>(account, from, to, amount, n, receipt);
    }
    mine::close_accounts<<<mine::blocks_for(accounts), 256>>>(account, accounts, balance, version);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    using mine::Word64;
    mine::ops<unsigned>(words, n, limit, result32, head32, next32);
    mine::ops<Word64>(reinterpret_cast<const Word64*>(longs), n, limit,
                      reinterpret_cast<Word64*>(result64), reinterpret_cast<Word64*>(head64),
                      reinterpret_cast<Word64*>(next64));
}
