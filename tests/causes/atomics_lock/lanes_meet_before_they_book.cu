// cause: lock_per_lane line 194
// task: transfers
// A lane with both locks waits for the rest of its warp, and a lane of the warp that needs one of these accounts waits for the lock: deadlock when two lanes want one account.
// atomics_lock
#include "interface.cuh"

#include <cuda_runtime.h>

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using Wide = unsigned long long int;

static const int threads = 256;

__device__ __forceinline__ size_t my_index() { return size_t(blockIdx.x) * blockDim.x + threadIdx.x; }

static int grid_for(size_t n) { return int((n + threads - 1) / threads); }

/* ---- 1. doubles ---- */

__device__ double atomic_add_double(double* address, double value) {
    Wide* word = reinterpret_cast<Wide*>(address);
    for (Wide expected = atomicCAS(word, Wide(0), Wide(0));;) {
        const double current = __longlong_as_double((long long)expected);
        const Wide desired = (Wide)__double_as_longlong(current + value);
        const Wide actual = atomicCAS(word, expected, desired);
        if (actual == expected) return current;
        expected = actual;
    }
}

__global__ void k_add_double(const double* values, const uint32_t* targets, size_t n, double* totals,
                             double* before) {
    const size_t i = my_index();
    const unsigned active = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    const unsigned lane = threadIdx.x & 31u;
    const uint32_t target = targets[i];
    const double value = values[i];
    const unsigned friends = __match_any_sync(active, target);
    double prefix = 0.0, total = 0.0;
    for (unsigned left = friends; left != 0; left &= left - 1) {
        const int source = __ffs(left) - 1;
        if (source == (int)lane) prefix = total;
        total += __shfl_sync(friends, value, source);
    }
    const int first = __ffs(friends) - 1;
    double old = 0.0;
    if ((int)lane == first) old = atomic_add_double(totals + target, total);
    old = __shfl_sync(friends, old, first);
    before[i] = old + prefix;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof *totals, 0);
    if (n != 0) k_add_double<<<grid_for(n), threads>>>(values, targets, n, totals, before);
}

/* ---- locks ---- */

struct Lock {
    unsigned int taken;

    __device__ bool attempt() {
        const bool mine = atomicCAS(&taken, 0u, 1u) == 0u;
        __threadfence();
        return mine;
    }
    __device__ void lock() {
        while (!attempt()) { /* wait */ }
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&taken, 0u);
    }
};

/* ---- 2. critical section ---- */

struct Best {
    long long value, place;
};

__device__ Best larger(Best a, Best b) {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.place < b.place ? a : b;
}

__device__ Lock section_lock;

__global__ void k_start_sections(uint64_t* record) {
    if (threadIdx.x < 2) record[threadIdx.x] = 0;
    if (threadIdx.x == 0) section_lock.taken = 0;
}

__global__ void k_sections(const int32_t* values, size_t length, int64_t* best, uint64_t* record, uint32_t* order) {
    __shared__ Best shared_best[threads / 32];
    const uint32_t section = blockIdx.x;
    Best mine = {-(1ll << 40), 1ll << 62};
    for (size_t column = threadIdx.x; column < length; column += blockDim.x) {
        const size_t place = section * length + column;
        mine = larger(mine, Best{values[place], (long long)place});
    }
    for (int step = 1; step < 32; step <<= 1) {
        Best other;
        other.value = __shfl_xor_sync(~0u, mine.value, step);
        other.place = __shfl_xor_sync(~0u, mine.place, step);
        mine = larger(mine, other);
    }
    const int warp = threadIdx.x >> 5;
    if ((threadIdx.x & 31) == 0) shared_best[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < threads / 32; ++w) mine = larger(mine, shared_best[w]);

        volatile int64_t* const top = best;
        volatile uint64_t* const rec = record;
        volatile uint32_t* const log = order;
        section_lock.lock();
        const uint64_t entries = rec[0];
        const uint64_t checksum = rec[1];
        Best now = mine;
        if (entries > 0) now = larger(mine, Best{top[0], top[1]});
        top[0] = now.value;
        top[1] = now.place;
        log[entries] = section;
        rec[0] = entries + 1;
        rec[1] = checksum * checksum_multiplier + (section + 1ull);
        section_lock.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    k_start_sections<<<1, 32>>>(record);
    k_sections<<<(int)sections, threads>>>(values, length, best, record, order);
}

/* ---- 3. transfers ---- */

struct Bank {
    volatile int64_t* balance;
    volatile uint64_t* version;
    Lock* locks;

    // both locks or none
    __device__ bool take(uint32_t a, uint32_t b) const {
        if (!locks[a].attempt()) return false;
        if (a == b || locks[b].attempt()) return true;
        locks[a].unlock();
        return false;
    }
    __device__ void give(uint32_t a, uint32_t b) const {
        locks[a].unlock();
        if (a != b) locks[b].unlock();
    }
    __device__ void move(uint32_t f, uint32_t t, int64_t money, int64_t slip[4]) const {
        balance[f] = balance[f] - money;
        balance[t] = balance[t] + money;
        version[f] = version[f] + 1;
        if (f != t) version[t] = version[t] + 1;
        slip[0] = (int64_t)version[f];
        slip[1] = (int64_t)version[t];
        slip[2] = balance[f];
        slip[3] = balance[t];
    }
};

__global__ void k_open(Bank bank, const int64_t* opening, size_t accounts) {
    const size_t a = my_index();
    if (a >= accounts) return;
    bank.balance[a] = opening[a];
    bank.version[a] = 0;
    bank.locks[a].taken = 0;
}

__global__ void k_transfers(Bank bank, const uint32_t* from, const uint32_t* to, const int64_t* amount,
                            size_t n, int64_t* receipt) {
    const size_t i = my_index();
    const unsigned lanes = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    const uint32_t f = from[i], t = to[i];
    const uint32_t lower = f < t ? f : t;
    const uint32_t upper = f < t ? t : f;
    const int64_t money = amount[i];
    int64_t slip[4];
    bool booked = false;
    while (!booked) {
        if (bank.take(lower, upper)) {
            __syncwarp(lanes);
            bank.move(f, t, money, slip);
            bank.give(lower, upper);
            booked = true;
        }
    }
    // the receipts of a warp are neighbours
    __syncwarp(lanes);
    for (int k = 0; k < 4; ++k) receipt[4 * i + k] = slip[k];
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Lock* locks = nullptr;
    static size_t have = 0;
    if (have < accounts) {
        cudaFree(locks);
        have = accounts + accounts / 2;
        cudaMalloc(&locks, have * sizeof(Lock));
    }
    const Bank bank = {balance, version, locks};
    k_open<<<grid_for(accounts), threads>>>(bank, opening, accounts);
    if (n > 0) k_transfers<<<grid_for(n), threads>>>(bank, from, to, amount, n, receipt);
}

/* ---- 4. the family ----
   Each block writes what it knows of its elements to a row of its own; one last block folds the rows.
   inc and dec only count, so where they end depends on n alone; the lists may be in any order. */

template <typename T>
struct Row {
    T sum, smallest, largest, conjunction, disjunction, parity, product;

    static __device__ Row neutral() { return Row{0, T(~T(0)), 0, T(~T(0)), 0, 0, 1}; }
    static __device__ Row of(T x) { return Row{x, x, x, x, x, x, T(x | 1)}; }
    __device__ void join(const Row& o) {
        sum += o.sum;
        smallest = o.smallest < smallest ? o.smallest : smallest;
        largest = o.largest > largest ? o.largest : largest;
        conjunction &= o.conjunction;
        disjunction |= o.disjunction;
        parity ^= o.parity;
        product *= o.product;
    }
};

template <typename T>
__device__ Row<T> join_block(Row<T> mine, Row<T>* space) {
    space[threadIdx.x] = mine;
    __syncthreads();
    for (int d = threads / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) space[threadIdx.x].join(space[threadIdx.x + d]);
        __syncthreads();
    }
    return space[0];
}

template <typename T, typename In>
__global__ void k_rows(const In* in, size_t n, Row<T>* rows, In* next) {
    __shared__ Row<T> space[threads];
    Row<T> mine = Row<T>::neutral();
    for (size_t i = my_index(); i < n; i += size_t(gridDim.x) * blockDim.x) {
        mine.join(Row<T>::of(T(in[i])));
        next[i] = i == 0 ? In(~In(0)) : In(i - 1);
    }
    const Row<T> all = join_block(mine, space);
    if (threadIdx.x == 0) rows[blockIdx.x] = all;
}

template <typename T, typename Out>
__global__ void k_result(const Row<T>* rows, int count, size_t n, uint32_t limit, Out* result, Out* head) {
    __shared__ Row<T> space[threads];
    Row<T> mine = Row<T>::neutral();
    for (int r = threadIdx.x; r < count; r += blockDim.x) mine.join(rows[r]);
    const Row<T> all = join_block(mine, space);
    if (threadIdx.x != 0) return;
    const Wide period = Wide(limit) + 1;
    const Wide steps = n % period;
    result[0] = all.sum;
    result[1] = T(0) - all.sum;
    result[2] = Out(steps);
    result[3] = Out((period - steps) % period);
    result[4] = all.smallest;
    result[5] = all.largest;
    result[6] = all.conjunction;
    result[7] = all.disjunction;
    result[8] = all.parity;
    result[9] = all.product;
    *head = n == 0 ? Out(~Out(0)) : Out(n - 1);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    constexpr int most = 512;
    static Row<unsigned>* rows32 = nullptr;
    static Row<Wide>* rows64 = nullptr;
    if (!rows32) {
        cudaMalloc(&rows32, most * sizeof(Row<unsigned>));
        cudaMalloc(&rows64, most * sizeof(Row<Wide>));
    }
    int blocks = n > size_t(most) * threads ? most : grid_for(n);
    if (blocks > 0) {
        k_rows<unsigned, uint32_t><<<blocks, threads>>>(words, n, rows32, next32);
        k_rows<Wide, uint64_t><<<blocks, threads>>>(longs, n, rows64, next64);
    }
    k_result<unsigned, uint32_t><<<1, threads>>>(rows32, blocks, n, limit, result32, head32);
    k_result<Wide, uint64_t><<<1, threads>>>(rows64, blocks, n, limit, result64, head64);
}
