// cause: lock_not_released line 95
// task: critical_section
// The thread that enters first returns without giving the lock back; with two or more sections the others wait for ever.
// Assignment "atomics and locks": everything that several blocks combine goes through a fold of the block first.
#include "interface.cuh"

namespace {

using u32 = std::uint32_t;
using u64 = unsigned long long;
using i64 = std::int64_t;

constexpr int kThreads = 256;
constexpr u32 kAll = 0xffffffffu;

// ---------------------------------------------------------------------------------- add_double

__device__ double atomic_add_double(double* address, double value) {
    u64* const bits = reinterpret_cast<u64*>(address);
    u64 assumed;
    u64 seen = 0;  // a guess: the total is still zero
    do {
        assumed = seen;
        const double wanted = __longlong_as_double(static_cast<i64>(assumed)) + value;
        seen = atomicCAS(bits, assumed, static_cast<u64>(__double_as_longlong(wanted)));
    } while (seen != assumed);
    return __longlong_as_double(static_cast<i64>(seen));
}

__global__ void add_kernel(const double* values, const u32* targets, std::size_t n, double* totals,
                           double* before) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    const bool valid = i < n;
    const u64 key = valid ? u64{targets[i]} : ~u64{0};
    const double value = valid ? values[i] : 0.0;
    const unsigned peers = __match_any_sync(kAll, key);
    double ahead = 0.0;   // of the lanes before this one
    double together = 0.0;
    for (int source = 0; source < 32; ++source) {
        const double theirs = __shfl_sync(kAll, value, source);
        if (peers >> source & 1u) {
            if (source < lane) ahead += theirs;
            together += theirs;
        }
    }
    const int leader = __ffs(peers) - 1;
    double base = 0.0;
    if (valid && lane == leader) base = atomic_add_double(totals + key, together);
    base = __shfl_sync(kAll, base, leader);
    if (valid) before[i] = base + ahead;
}

// ---------------------------------------------------------------------------- critical_section

__device__ u32 record_lock_word;

struct Lock {
    u32* word;
    __device__ void lock() const {
        while (atomicCAS(word, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __device__ void unlock() const {
        __threadfence();
        atomicExch(word, 0u);
    }
};

struct Winner {
    i64 value;
    i64 place;
    __device__ bool beats(const Winner& other) const {
        return value > other.value || (value == other.value && place < other.place);
    }
};

__global__ void open_record(std::uint64_t* record) {
    record[0] = 0;
    record[1] = 0;
    record_lock_word = 0;
}

__device__ void enter(const Lock& guard, const Winner& mine, u32 section, volatile i64* best,
                      volatile std::uint64_t* record, volatile u32* order) {
    guard.lock();
    const std::uint64_t slot = record[0];
    order[slot] = section;
    record[0] = slot + 1;
    record[1] = record[1] * checksum_multiplier + (std::uint64_t{section} + 1);
    if (slot == 0) {  // nobody to compare with
        best[0] = mine.value;
        best[1] = mine.place;
        return;
    }
    const Winner champion{best[0], best[1]};
    if (mine.beats(champion)) {
        best[0] = mine.value;
        best[1] = mine.place;
    }
    guard.unlock();
}

__global__ void section_kernel(const std::int32_t* values, std::size_t length, i64* best,
                               std::uint64_t* record, u32* order) {
    __shared__ Winner of_warp[kThreads / 32];
    const std::size_t first = std::size_t{blockIdx.x} * length;
    Winner mine{INT64_MIN, INT64_MAX};
    for (std::size_t j = threadIdx.x; j < length; j += blockDim.x) {
        const Winner next{values[first + j], static_cast<i64>(first + j)};
        if (next.beats(mine)) mine = next;
    }
    for (int d = 16; d > 0; d /= 2) {
        const Winner other{__shfl_down_sync(kAll, mine.value, d), __shfl_down_sync(kAll, mine.place, d)};
        if (other.beats(mine)) mine = other;
    }
    if ((threadIdx.x & 31) == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kThreads / 32; ++w) {
            if (of_warp[w].beats(mine)) mine = of_warp[w];
        }
        enter(Lock{&record_lock_word}, mine, blockIdx.x, best, record, order);
    }
}

// ----------------------------------------------------------------------------------- transfers

__global__ void open_accounts(const i64* opening, std::size_t accounts, i64* balance,
                              std::uint64_t* version, u32* locks) {
    const std::size_t a = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (a < accounts) {
        balance[a] = opening[a];
        version[a] = 0;
        locks[a] = 0;
    }
}

__global__ void transfer_kernel(const u32* from, const u32* to, const i64* amount, std::size_t n,
                                volatile i64* balance, volatile std::uint64_t* version,
                                i64* receipt, u32* locks) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 f = from[i], t = to[i];
    const u32 low = f < t ? f : t, high = f < t ? t : f;
    const i64 money = amount[i];
    bool booked = false;
    while (!booked) {
        if (atomicCAS(locks + low, 0u, 1u) != 0u) continue;
        if (low == high || atomicCAS(locks + high, 0u, 1u) == 0u) {
            __threadfence();
            i64* const mine = receipt + 4 * i;
            balance[f] = balance[f] - money;
            balance[t] = balance[t] + money;
            version[f] = version[f] + 1;
            if (t != f) version[t] = version[t] + 1;
            mine[0] = static_cast<i64>(version[f]);
            mine[1] = static_cast<i64>(version[t]);
            mine[2] = balance[f];
            mine[3] = balance[t];
            __threadfence();
            if (low != high) atomicExch(locks + high, 0u);
            booked = true;
        }
        atomicExch(locks + low, 0u);
    }
}

// ---------------------------------------------------------------------------------- atomic_ops

template <class W, class Op>
__device__ W fold_block(W mine, Op op, W* shared) {
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    const W all = shared[0];
    __syncthreads();
    return all;
}

template <class W, class F>
__device__ void change(W* word, F f) {
    W seen = atomicCAS(word, W{0}, W{0});
    for (;;) {
        const W before = atomicCAS(word, seen, f(seen));
        if (before == seen) return;
        seen = before;
    }
}

template <class W>
__device__ void apply_all(W x, bool valid, u32 count, u32 limit, W* result, W* shared) {
    const W ones = ~W{0};
    const W sum = fold_block<W>(valid ? x : W{0}, [](W p, W q) { return p + q; }, shared);
    const W least = fold_block<W>(valid ? x : ones, [](W p, W q) { return p < q ? p : q; }, shared);
    const W most = fold_block<W>(valid ? x : W{0}, [](W p, W q) { return p > q ? p : q; }, shared);
    const W both = fold_block<W>(valid ? x : ones, [](W p, W q) { return p & q; }, shared);
    const W any = fold_block<W>(valid ? x : W{0}, [](W p, W q) { return p | q; }, shared);
    const W odd = fold_block<W>(valid ? x : W{0}, [](W p, W q) { return p ^ q; }, shared);
    const W product = fold_block<W>(valid ? (x | W{1}) : W{1}, [](W p, W q) { return p * q; }, shared);
    if (threadIdx.x != 0) return;
    const u64 period = u64{limit} + 1;
    const u64 steps = count % period;
    atomicAdd(result + 0, sum);
    atomicAdd(result + 1, W{0} - sum);
    change(result + 2, [=](W w) { return static_cast<W>((w + steps) % period); });
    change(result + 3, [=](W w) { return static_cast<W>((w + period - steps) % period); });
    atomicMin(result + 4, least);
    atomicMax(result + 5, most);
    atomicAnd(result + 6, both);
    atomicOr(result + 7, any);
    atomicXor(result + 8, odd);
    change(result + 9, [=](W w) { return static_cast<W>(w * product); });
}

__global__ void open_words(u32* result32, u64* result64, u32* head32, u64* head64) {
    const int k = threadIdx.x;
    if (k < 10) {
        result32[k] = (k == 4 || k == 6) ? ~0u : (k == 9 ? 1u : 0u);
        result64[k] = (k == 4 || k == 6) ? ~u64{0} : (k == 9 ? 1u : 0u);
    }
    if (k == 10) *head32 = ~0u;
    if (k == 11) *head64 = ~u64{0};
}

__global__ void ops_kernel(const u32* words, const std::uint64_t* longs, std::size_t n, u32 limit,
                           u32* result32, u64* result64, u32* head32, u64* head64, u32* next32,
                           std::uint64_t* next64) {
    __shared__ u32 space32[kThreads];
    __shared__ u64 space64[kThreads];
    const std::size_t first = std::size_t{blockIdx.x} * kThreads;
    const std::size_t i = first + threadIdx.x;
    const bool valid = i < n;
    const std::size_t rest = n - first;
    const u32 count = rest < kThreads ? static_cast<u32>(rest) : u32{kThreads};
    apply_all<u32>(valid ? words[i] : 0u, valid, count, limit, result32, space32);
    apply_all<u64>(valid ? u64{longs[i]} : 0u, valid, count, limit, result64, space64);
    if (!valid) return;
    // the block is one piece of each list: i points to i - 1, and the first to what was there
    if (threadIdx.x == 0) {
        next32[i] = atomicExch(head32, static_cast<u32>(first + count - 1));
        next64[i] = atomicExch(head64, u64{first + count - 1});
    } else {
        next32[i] = static_cast<u32>(i - 1);
        next64[i] = i - 1;
    }
}

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof(double));
    if (n > 0) add_kernel<<<blocks_for(n), kThreads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    open_record<<<1, 1>>>(record);
    section_kernel<<<static_cast<unsigned>(sections), kThreads>>>(values, length, best, record, order);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static u32* locks = nullptr;
    static std::size_t capacity = 0;
    if (capacity < accounts) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(u32));
        capacity = accounts;
    }
    open_accounts<<<blocks_for(accounts), kThreads>>>(opening, accounts, balance, version, locks);
    if (n > 0) {
        transfer_kernel<<<blocks_for(n), kThreads>>>(from, to, amount, n, balance, version, receipt, locks);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    u64* const wide = reinterpret_cast<u64*>(result64);
    u64* const wide_head = reinterpret_cast<u64*>(head64);
    open_words<<<1, 32>>>(result32, wide, head32, wide_head);
    if (n > 0) {
        ops_kernel<<<blocks_for(n), kThreads>>>(words, longs, n, limit, result32, wide, head32,
                                                wide_head, next32, next64);
    }
}
