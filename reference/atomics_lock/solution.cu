// Model answer. An atomic on one word takes its turn: of the threads that want it, one is served at
// a time, and each turn is a trip to the L2 cache. So the way to be fast is to take fewer turns:
//
//   add_double        lanes of a warp with one target go as one; totals that fit in shared memory
//                     are private to a block first, and a block enters each global total once.
//   critical_section  all the work (maximum, checksum) is done outside; a block handles several
//                     sections and enters for all of them at once. Inside: two reads, two writes.
//   transfers         low contention: latency counts. Lock, version and balance of an account share
//                     16 bytes, taking the lock reads the version and setting the version frees it.
//   atomic_ops        shuffles and shared memory combine the values of a block; one atomic per
//                     block and operation is left.
#include "interface.cuh"

namespace {

using u64 = unsigned long long;

constexpr unsigned full = 0xffffffffu;

__device__ unsigned lane() { return threadIdx.x % 32; }
__device__ unsigned lowest(unsigned mask) {
    return static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
}

unsigned multiprocessors() {
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return static_cast<unsigned>(count);
}

unsigned grid_for(std::size_t items, std::size_t per_block, unsigned most) {
    const std::size_t needed = (items + per_block - 1) / per_block;
    return needed < most ? static_cast<unsigned>(needed) : most;
}

/// *word = f(*word) as one step; gives back what was there before.
template <class T, class F>
__device__ T atomic_update(T* word, F f) {
    T seen = *word, expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, f(expected));
    } while (seen != expected);
    return seen;
}

// ---- add_double

/// For global and shared memory. The comparison is of bits: a NaN is not equal to itself.
__device__ double atomic_add_double(double* address, double value) {
    const u64 old = atomic_update(reinterpret_cast<u64*>(address), [=](u64 bits) {
        const double sum = __longlong_as_double(static_cast<long long>(bits)) + value;
        return static_cast<u64>(__double_as_longlong(sum));
    });
    return __longlong_as_double(static_cast<long long>(old));
}

/// The same for all lanes in `active` at once: those with the same target take one turn together
/// and share out the old value, in the order of lanes.
__device__ double add_together(unsigned active, double* totals, std::uint32_t target,
                               double value) {
    const unsigned peers = __match_any_sync(active, target);
    double below = 0, sum = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
        const unsigned from = lowest(rest);
        const double v = __shfl_sync(peers, value, static_cast<int>(from));
        if (from == lane()) below = sum;
        sum += v;
    }
    double old = 0;
    if (lane() == lowest(peers)) old = atomic_add_double(totals + target, sum);
    return __shfl_sync(peers, old, static_cast<int>(lowest(peers))) + below;
}

constexpr unsigned add_threads = 512;
constexpr std::size_t max_private_totals = 4096;  // 32 KB

/// before[i] = the old value of totals[targets[i]], for the elements of this block.
__device__ void add_all(const double* values, const std::uint32_t* targets, std::size_t n,
                        double* totals, double* before) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * add_threads;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * add_threads + threadIdx.x;
    // The bound is the warp's, so that its lanes stay together; `active` are those below n.
    for (std::size_t i = first; i - lane() < n; i += stride) {
        const unsigned active = __ballot_sync(full, i < n);
        if (i < n) before[i] = add_together(active, totals, targets[i], values[i]);
    }
}

__global__ void __launch_bounds__(add_threads)
    add_private(const double* __restrict__ values, const std::uint32_t* __restrict__ targets,
                std::size_t n, double* totals, unsigned m, double* before) {
    extern __shared__ double own[];
    for (unsigned t = threadIdx.x; t < m; t += add_threads) own[t] = 0;
    __syncthreads();
    add_all(values, targets, n, own, before);  // as if this block were alone
    __syncthreads();
    // One turn at each global total: the block's sum goes in, what was there before comes out.
    for (unsigned t = threadIdx.x; t < m; t += add_threads) {
        if (own[t] != 0) own[t] = atomic_add_double(totals + t, own[t]);
    }
    __syncthreads();
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * add_threads;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * add_threads + threadIdx.x; i < n;
         i += stride) {
        before[i] += own[targets[i]];  // the same thread wrote before[i]
    }
}

__global__ void __launch_bounds__(add_threads)
    add_direct(const double* __restrict__ values, const std::uint32_t* __restrict__ targets,
               std::size_t n, double* totals, double* before) {
    add_all(values, targets, n, totals, before);
}

// ---- critical_section

/// A spin lock in one word of global memory that starts as 0.
struct Lock {
    unsigned* word;
    __device__ void lock() const {
        while (atomicExch(word, 1) != 0) {
            // Wait by reading: reads do not queue up with the holder's release as atomics do.
            while (*static_cast<volatile unsigned*>(word) != 0) __nanosleep(20);
        }
        __threadfence();  // acquire: the record is read after the lock was taken
    }
    __device__ void unlock() const {
        __threadfence();  // release: the record is written before the lock is free
        atomicExch(word, 0);
    }
};

constexpr unsigned section_threads = 512;

/// Larger value first, then smaller offset: the maximum of these keys is what `best` asks for.
__device__ u64 key_of(std::int32_t value, std::size_t offset) {
    const unsigned biased = static_cast<unsigned>(value) ^ 0x80000000u;
    return static_cast<u64>(biased) << 32 | (0xffffffffu - static_cast<unsigned>(offset));
}
__device__ u64 larger(u64 a, u64 b) { return a > b ? a : b; }

/// The largest key of a section, in thread 0.
__device__ u64 best_of_section(const std::int32_t* __restrict__ values, std::size_t length) {
    __shared__ u64 of_warp[section_threads / 32];
    u64 key = 0;
    std::size_t scalar_from = 0;
    if (reinterpret_cast<std::uintptr_t>(values) % sizeof(int4) == 0) {
        const int4* vectors = reinterpret_cast<const int4*>(values);
#pragma unroll 4
        for (std::size_t i = threadIdx.x; i < length / 4; i += section_threads) {
            const int4 v = __ldcs(vectors + i);
            key = larger(key, larger(larger(key_of(v.x, 4 * i), key_of(v.y, 4 * i + 1)),
                                     larger(key_of(v.z, 4 * i + 2), key_of(v.w, 4 * i + 3))));
        }
        scalar_from = length / 4 * 4;
    }
    for (std::size_t i = scalar_from + threadIdx.x; i < length; i += section_threads) {
        key = larger(key, key_of(values[i], i));
    }
    for (int d = 16; d > 0; d /= 2) key = larger(key, __shfl_down_sync(full, key, d));
    if (lane() == 0) of_warp[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x < 32) {
        key = lane() < section_threads / 32 ? of_warp[lane()] : 0;
        for (int d = 16; d > 0; d /= 2) key = larger(key, __shfl_down_sync(full, key, d));
    }
    __syncthreads();  // of_warp is written again for the next section
    return key;
}

__global__ void __launch_bounds__(section_threads)
    section_kernel(const std::int32_t* __restrict__ values, std::size_t sections,
                   std::size_t length, volatile std::int64_t* best, volatile std::uint64_t* record,
                   std::uint32_t* __restrict__ order, Lock lock) {
    std::int64_t value = 0, place = -1;
    // What our entries, one after the other, do to the checksum c: c * factor + addend.
    std::uint64_t factor = 1, addend = 0;
    for (std::size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        const u64 key = best_of_section(values + s * length, length);
        if (threadIdx.x != 0) continue;
        const std::int64_t v =
            static_cast<std::int32_t>(static_cast<unsigned>(key >> 32) ^ 0x80000000u);
        if (place < 0 || v > value) {  // sections come in ascending order: the first one wins ties
            value = v;
            place = static_cast<std::int64_t>(s * length + (0xffffffffu - (key & 0xffffffffu)));
        }
        factor *= checksum_multiplier;
        addend = addend * checksum_multiplier + (s + 1);
    }
    if (threadIdx.x != 0) return;

    lock.lock();
    const std::uint64_t entered = record[0];
    record[0] = entered + (sections - blockIdx.x + gridDim.x - 1) / gridDim.x;
    record[1] = record[1] * factor + addend;
    if (entered == 0 || value > best[0] || (value == best[0] && place < best[1])) {
        best[0] = value;
        best[1] = place;
    }
    lock.unlock();

    // The places order[entered] and up were reserved inside and are nobody else's.
    std::uint64_t at = entered;
    for (std::size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        order[at++] = static_cast<std::uint32_t>(s);
    }
}

// ---- transfers

/// state = version * 2 + (1 if somebody holds the account).
struct alignas(16) Account {
    u64 state;
    std::int64_t balance;
};

__global__ void open_accounts(const std::int64_t* __restrict__ opening, std::size_t accounts,
                              Account* account) {
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < accounts) account[a] = {0, opening[a]};
}

__global__ void close_accounts(const Account* __restrict__ account, std::size_t accounts,
                               std::int64_t* balance, std::uint64_t* version) {
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a >= accounts) return;
    balance[a] = account[a].balance;
    version[a] = account[a].state / 2;
}

/// Takes the account if it is free; `version` is then its version.
__device__ bool try_lock(Account* account, u64& version) {
    const u64 state = atomicOr(&account->state, 1);
    version = state / 2;
    return state % 2 == 0;
}

__global__ void transfer_kernel(const std::uint32_t* __restrict__ from,
                                const std::uint32_t* __restrict__ to,
                                const std::int64_t* __restrict__ amounts, std::size_t n,
                                Account* account, longlong2* __restrict__ receipt) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = __ldcs(from + i), t = __ldcs(to + i);
    const std::int64_t amount = __ldcs(amounts + i);
    Account* const first = account + (f < t ? f : t);
    Account* const second = account + (f < t ? t : f);
    const bool to_self = first == second;
    const std::int64_t to_first = to_self ? 0 : (f < t ? -amount : amount);
    u64 version_first = 0, version_second = 0;
    std::int64_t now_first = 0, now_second = 0;
    // Locks are taken in ascending order: no circle of waiting. And a lane never stands still with
    // a lock in hand: whether it got the second one or not, it frees the first in the same turn of
    // the loop, so it gets on where the lanes of a warp run in step, too.
    for (bool done = false; !done;) {
        if (!try_lock(first, version_first)) continue;
        if (to_self || try_lock(second, version_second)) {
            __threadfence();  // acquire, for both
            volatile std::int64_t* const balance_first = &first->balance;
            volatile std::int64_t* const balance_second = &second->balance;
            now_first = *balance_first + to_first;
            now_second = *balance_second - to_first;
            *balance_first = now_first;
            if (!to_self) *balance_second = now_second;
            ++version_first;
            ++version_second;
            __threadfence();  // release, for both
            if (!to_self) atomicExch(&second->state, 2 * version_second);
            done = true;
        }
        atomicExch(&first->state, 2 * version_first);
    }
    if (to_self) version_second = version_first;
    const bool ascending = f <= t;
    // Nobody reads the receipt here: it needs no lock. Two 16-byte stores of one sector.
    receipt[2 * i] =
        make_longlong2(static_cast<long long>(ascending ? version_first : version_second),
                       static_cast<long long>(ascending ? version_second : version_first));
    receipt[2 * i + 1] =
        make_longlong2(ascending ? now_first : now_second, ascending ? now_second : now_first);
}

// ---- atomic_ops

constexpr unsigned ops_threads = 256;

/// What a set of values does to the words that have it in common.
template <class T>
struct Effect {
    T add = 0, min = static_cast<T>(~T{0}), max = 0, all = static_cast<T>(~T{0}), any = 0, odd = 0,
      product = 1;
    __device__ void include(T a) { include(Effect{a, a, a, a, a, a, static_cast<T>(a | 1)}); }
    __device__ void include(const Effect& e) {
        add += e.add;
        min = e.min < min ? e.min : min;
        max = e.max > max ? e.max : max;
        all &= e.all;
        any |= e.any;
        odd ^= e.odd;
        product *= e.product;
    }
    __device__ Effect from_lane_below(int d) const {
        return {__shfl_down_sync(full, add, d),    __shfl_down_sync(full, min, d),
                __shfl_down_sync(full, max, d),    __shfl_down_sync(full, all, d),
                __shfl_down_sync(full, any, d),    __shfl_down_sync(full, odd, d),
                __shfl_down_sync(full, product, d)};
    }
};

/// The block's effect, in thread 0.
template <class T>
__device__ Effect<T> combine(Effect<T> e, Effect<T>* of_warp) {
    for (int d = 16; d > 0; d /= 2) e.include(e.from_lane_below(d));
    if (lane() == 0) of_warp[threadIdx.x / 32] = e;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < ops_threads / 32; ++w) e.include(of_warp[w]);
    }
    return e;
}

/// Ten atomics for `count` elements. `count` increments of a counter that wraps after `limit` are
/// one addition modulo limit + 1, and decrements the same downwards.
template <class T>
__device__ void commit(const Effect<T>& e, u64 count, u64 limit, T* result) {
    const u64 cycle = limit + 1, steps = count % cycle;
    atomicAdd(result + 0, e.add);
    atomicAdd(result + 1, static_cast<T>(~e.add + 1));
    atomic_update(result + 2, [=](T w) { return static_cast<T>((w + steps) % cycle); });
    atomic_update(result + 3, [=](T w) { return static_cast<T>((w + cycle - steps) % cycle); });
    atomicMin(result + 4, e.min);
    atomicMax(result + 5, e.max);
    atomicAnd(result + 6, e.all);
    atomicOr(result + 7, e.any);
    atomicXor(result + 8, e.odd);
    atomic_update(result + 9, [=](T w) { return static_cast<T>(w * e.product); });
}

__global__ void start_ops(unsigned* result32, u64* result64, unsigned* head32, u64* head64) {
    const unsigned k = threadIdx.x;
    if (k < 10) {
        const u64 start = k == 4 || k == 6 ? ~u64{0} : k == 9;
        result32[k] = static_cast<unsigned>(start);
        result64[k] = start;
    }
    if (k == 10) *head32 = ~0u;
    if (k == 11) *head64 = ~u64{0};
}

/// Each block has the elements [first, end): contiguous, so that its part of the list is known:
/// every element points to the one after it, and only the last has to ask for the old head.
__global__ void __launch_bounds__(ops_threads)
    ops_kernel(const unsigned* __restrict__ words, const u64* __restrict__ longs, std::size_t n,
               std::size_t per_block, u64 limit, unsigned* result32, u64* result64,
               unsigned* head32, u64* head64, unsigned* __restrict__ next32,
               u64* __restrict__ next64) {
    const std::size_t first = blockIdx.x * per_block;
    const std::size_t end = first + per_block < n ? first + per_block : n;
    Effect<unsigned> e32;
    Effect<u64> e64;
    for (std::size_t i = first + threadIdx.x; i < end; i += ops_threads) {
        e32.include(words[i]);
        e64.include(longs[i]);
        if (i + 1 < end) {
            next32[i] = static_cast<unsigned>(i + 1);
            next64[i] = i + 1;
        }
    }
    __shared__ unsigned char scratch[ops_threads / 32 * sizeof(Effect<u64>)] alignas(16);
    e32 = combine(e32, reinterpret_cast<Effect<unsigned>*>(scratch));
    __syncthreads();
    e64 = combine(e64, reinterpret_cast<Effect<u64>*>(scratch));
    if (threadIdx.x != 0) return;
    commit<unsigned>(e32, end - first, limit, result32);
    commit<u64>(e64, end - first, limit, result64);
    next32[end - 1] = atomicExch(head32, static_cast<unsigned>(first));
    next64[end - 1] = atomicExch(head64, static_cast<u64>(first));
}

/// Device memory that holds whatever the last call left in it. It is kept from call to call: what
/// an allocation takes is not the same each time.
void* scratch(std::size_t bytes) {
    static void* memory = nullptr;
    static std::size_t capacity = 0;
    if (bytes > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, bytes);
        capacity = bytes;
    }
    return memory;
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    // Private totals pay when a block has more values to add than totals to clear and merge.
    const unsigned blocks = grid_for(n, 4 * add_threads, 2 * multiprocessors());
    if (m <= max_private_totals && n / blocks >= m) {
        add_private<<<blocks, add_threads, m * sizeof(double)>>>(values, targets, n, totals,
                                                                 static_cast<unsigned>(m), before);
    } else {
        add_direct<<<grid_for(n, add_threads, 4 * multiprocessors()), add_threads>>>(
            values, targets, n, totals, before);
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    const Lock lock{static_cast<unsigned*>(scratch(sizeof(unsigned)))};
    cudaMemsetAsync(lock.word, 0, sizeof *lock.word);
    cudaMemsetAsync(record, 0, 2 * sizeof *record);
    section_kernel<<<grid_for(sections, 1, 3 * multiprocessors()), section_threads>>>(
        values, sections, length, best, record, order, lock);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    constexpr unsigned threads = 128;
    const auto all = [](std::size_t items) {
        return static_cast<unsigned>((items + threads - 1) / threads);
    };
    auto* const account = static_cast<Account*>(scratch(accounts * sizeof(Account)));
    open_accounts<<<all(accounts), threads>>>(opening, accounts, account);
    if (n > 0) {
        transfer_kernel<<<all(n), threads>>>(from, to, amount, n, account,
                                             reinterpret_cast<longlong2*>(receipt));
    }
    close_accounts<<<all(accounts), threads>>>(account, accounts, balance, version);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    // uint64_t is unsigned long here and the atomics take unsigned long long: the same 64 bits.
    u64* r64 = reinterpret_cast<u64*>(result64);
    u64* h64 = reinterpret_cast<u64*>(head64);
    start_ops<<<1, 32>>>(result32, r64, head32, h64);
    if (n == 0) return;
    const unsigned most = grid_for(n, ops_threads, 2 * multiprocessors());
    const std::size_t per_block = (n + most - 1) / most;
    ops_kernel<<<grid_for(n, per_block, most), ops_threads>>>(
        words, reinterpret_cast<const u64*>(longs), n, per_block, limit, result32, r64, head32, h64,
        next32, reinterpret_cast<u64*>(next64));
}
