// cause: converted_not_reinterpreted line 30
// task: add_double
// atomic_add_double converts the old bit pattern to a double as if it were an integer, so what it returns is wrong whenever the old total was not 0 (from the second addition to a target on).
// Atomics and locks, all four tasks.
#include "interface.cuh"

#include <climits>

namespace {

using u32 = std::uint32_t;
using u64 = unsigned long long;

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kThreads = 256;

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

// ---------------------------------------------------------------- add_double

__device__ double atomic_add_double(double* address, double value) {
    u64* word = reinterpret_cast<u64*>(address);
    u64 seen = atomicCAS(word, 0ull, 0ull);
    u64 expected;
    do {
        expected = seen;
        const double sum = __longlong_as_double(static_cast<long long>(expected)) + value;
        seen = atomicCAS(word, expected, static_cast<u64>(__double_as_longlong(sum)));
    } while (seen != expected);
    return static_cast<double>(seen);
}

__global__ void add_kernel(const double* values, const u32* targets, std::size_t n, double* totals,
                           double* before) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool valid = i < n;
    const double value = valid ? values[i] : 0.0;
    const u32 target = valid ? targets[i] : 0xffffffffu;

    // Lanes with one target go as one.
    const unsigned peers = __match_any_sync(kAllLanes, target);
    double below = 0.0, sum = 0.0;
    for (int source = 0; source < 32; ++source) {
        const double other = __shfl_sync(kAllLanes, value, source);
        if (peers >> source & 1u) {
            if (source < lane) below += other;
            sum += other;
        }
    }
    const int leader = __ffs(peers) - 1;
    double base = 0.0;
    if (valid && lane == leader) base = atomic_add_double(totals + target, sum);
    base = __shfl_sync(kAllLanes, base, leader);
    if (valid) before[i] = base + below;
}

// ---------------------------------------------------------- critical_section

struct Lock {
    unsigned* word;
    __device__ void lock() {
        while (atomicCAS(word, 0u, 1u) != 0u) __nanosleep(50);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word, 0u);
    }
};

constexpr int kSearchers = 128;

__global__ void section_kernel(const std::int32_t* values, std::size_t length, Lock door,
                               volatile std::int64_t* best, volatile std::uint64_t* record,
                               volatile u32* order) {
    __shared__ long long top[kSearchers];
    __shared__ u64 place[kSearchers];
    const int t = threadIdx.x;
    const std::size_t first = blockIdx.x * length;

    long long v = LLONG_MIN;
    u64 p = ULLONG_MAX;
    for (std::size_t j = t; j < length; j += kSearchers) {
        const long long x = values[first + j];
        if (x > v) {
            v = x;
            p = first + j;
        }
    }
    top[t] = v;
    place[t] = p;
    for (int half = kSearchers / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            const int u = t + half;
            if (top[u] > top[t] || (top[u] == top[t] && place[u] < place[t])) {
                top[t] = top[u];
                place[t] = place[u];
            }
        }
    }
    if (t == 0) {
        v = top[0];
        p = place[0];
        door.lock();
        const std::uint64_t entries = record[0];
        const long long best_value = best[0];
        const long long best_place = best[1];
        if (entries == 0 || v > best_value ||
            (v == best_value && static_cast<long long>(p) < best_place)) {
            best[0] = v;
            best[1] = static_cast<long long>(p);
        }
        order[entries] = blockIdx.x;
        record[0] = entries + 1;
        record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1ull);
        door.unlock();
    }
}

// ----------------------------------------------------------------- transfers

struct Account {
    unsigned lock;
    u64 version;
    long long balance;
};

__global__ void open_accounts(Account* account, const std::int64_t* opening, std::size_t count) {
    const std::size_t a = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (a < count) {
        account[a].lock = 0;
        account[a].version = 0;
        account[a].balance = opening[a];
    }
}

__global__ void book(Account* account, const u32* from, const u32* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* receipt) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const u32 f = from[i], t = to[i];
    const u32 low = f < t ? f : t, high = f < t ? t : f;
    const long long money = amount[i];
    volatile Account* giver = account + f;
    volatile Account* taker = account + t;

    bool done = false;
    while (!done) {
        if (atomicCAS(&account[low].lock, 0u, 1u) == 0u) {
            if (low == high || atomicCAS(&account[high].lock, 0u, 1u) == 0u) {
                __threadfence();
                giver->balance = giver->balance - money;
                taker->balance = taker->balance + money;
                giver->version = giver->version + 1;
                if (f != t) taker->version = taker->version + 1;
                receipt[4 * i + 0] = static_cast<std::int64_t>(giver->version);
                receipt[4 * i + 1] = static_cast<std::int64_t>(taker->version);
                receipt[4 * i + 2] = giver->balance;
                receipt[4 * i + 3] = taker->balance;
                __threadfence();
                if (low != high) atomicExch(&account[high].lock, 0u);
                done = true;
            }
            atomicExch(&account[low].lock, 0u);
        }
    }
}

__global__ void close_accounts(const Account* account, std::size_t count, std::int64_t* balance,
                               std::uint64_t* version) {
    const std::size_t a = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (a < count) {
        balance[a] = account[a].balance;
        version[a] = account[a].version;
    }
}

// ---------------------------------------------------------------- atomic_ops

template <class T, class Combine>
__device__ T warp_reduce(T v, Combine combine) {
    for (int offset = 16; offset > 0; offset /= 2)
        v = combine(v, __shfl_xor_sync(kAllLanes, v, offset));
    return v;
}

template <class T, class Change>
__device__ void change_word(T* word, Change change) {
    T seen = atomicCAS(word, T(0), T(0));
    T expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, T(change(expected)));
    } while (seen != expected);
}

__global__ void set_starts(u32* result32, u64* result64, u32* head32, u64* head64) {
    const int k = threadIdx.x;
    if (k < 10) {
        const bool ones = k == 4 || k == 6;
        result32[k] = ones ? ~0u : k == 9 ? 1u : 0u;
        result64[k] = ones ? ~0ull : k == 9 ? 1u : 0u;
    } else if (k == 10) {
        *head32 = 0xffffffffu;
        *head64 = 0xffffffffffffffffull;
    }
}

__global__ void ops_kernel(const u32* words, const std::uint64_t* longs, std::size_t n, u32 limit,
                           u32* r32, u64* r64, u32* head32, u64* head64, u32* next32,
                           std::uint64_t* next64) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const bool valid = i < n;
    const u32 a = valid ? words[i] : 0u;
    const u64 b = valid ? longs[i] : 0ull;
    const u64 here = __popc(__ballot_sync(kAllLanes, valid));

    auto plus = [](auto x, auto y) { return x + y; };
    auto least = [](auto x, auto y) { return x < y ? x : y; };
    auto most = [](auto x, auto y) { return x < y ? y : x; };
    auto both = [](auto x, auto y) { return x & y; };
    auto either = [](auto x, auto y) { return x | y; };
    auto odd = [](auto x, auto y) { return x ^ y; };
    auto times = [](auto x, auto y) { return x * y; };

    const u32 sum32 = warp_reduce(a, plus);
    const u32 min32 = warp_reduce(valid ? a : ~0u, least);
    const u32 max32 = warp_reduce(a, most);
    const u32 and32 = warp_reduce(valid ? a : ~0u, both);
    const u32 or32 = warp_reduce(a, either);
    const u32 xor32 = warp_reduce(a, odd);
    const u32 mul32 = warp_reduce(a | 1u, times);
    const u64 sum64 = warp_reduce(b, plus);
    const u64 min64 = warp_reduce(valid ? b : ~0ull, least);
    const u64 max64 = warp_reduce(b, most);
    const u64 and64 = warp_reduce(valid ? b : ~0ull, both);
    const u64 or64 = warp_reduce(b, either);
    const u64 xor64 = warp_reduce(b, odd);
    const u64 mul64 = warp_reduce(b | 1ull, times);

    if (threadIdx.x % 32 == 0 && here > 0) {
        atomicAdd(&r32[0], sum32);
        atomicSub(&r32[1], sum32);
        atomicMin(&r32[4], min32);
        atomicMax(&r32[5], max32);
        atomicAnd(&r32[6], and32);
        atomicOr(&r32[7], or32);
        atomicXor(&r32[8], xor32);
        change_word(&r32[9], [=](u32 w) { return w * mul32; });

        atomicAdd(&r64[0], sum64);
        atomicAdd(&r64[1], 0ull - sum64);
        // Both go round in a circle of limit + 1 values.
        const u64 circle = limit + 1ull;
        change_word(&r64[2], [=](u64 w) { return (w + here) % circle; });
        change_word(&r64[3], [=](u64 w) { return (w + circle - here % circle) % circle; });
        atomicMin(&r64[4], min64);
        atomicMax(&r64[5], max64);
        atomicAnd(&r64[6], and64);
        atomicOr(&r64[7], or64);
        atomicXor(&r64[8], xor64);
        change_word(&r64[9], [=](u64 w) { return w * mul64; });
    }
    if (valid) {
        atomicInc(&r32[2], limit);
        atomicDec(&r32[3], limit);
        next32[i] = atomicExch(head32, static_cast<u32>(i));
        next64[i] = atomicExch(head64, static_cast<u64>(i));
    }
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n > 0) add_kernel<<<blocks_for(n), kThreads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static unsigned* word = nullptr;
    if (word == nullptr) cudaMalloc(&word, sizeof(unsigned));
    cudaMemset(word, 0, sizeof(unsigned));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    cudaMemset(best, 0, 2 * sizeof(std::int64_t));
    section_kernel<<<static_cast<unsigned>(sections), kSearchers>>>(values, length, Lock{word},
                                                                    best, record, order);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Account* table = nullptr;
    static std::size_t capacity = 0;
    if (accounts > capacity) {
        cudaFree(table);
        cudaMalloc(&table, accounts * sizeof(Account));
        capacity = accounts;
    }
    open_accounts<<<blocks_for(accounts), kThreads>>>(table, opening, accounts);
    if (n > 0) book<<<blocks_for(n), kThreads>>>(table, from, to, amount, n, receipt);
    close_accounts<<<blocks_for(accounts), kThreads>>>(table, accounts, balance, version);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    u64* r64 = reinterpret_cast<u64*>(result64);
    u64* h64 = reinterpret_cast<u64*>(head64);
    set_starts<<<1, 32>>>(result32, r64, head32, h64);
    if (n > 0)
        ops_kernel<<<blocks_for(n), kThreads>>>(words, longs, n, limit, result32, r64, head32, h64,
                                                next32, next64);
}
