// The baseline that speedups are measured against: one thread per item, every update straight to
// global memory, locks that are tried again and again. Right, and slow wherever threads meet.
#include "interface.cuh"

namespace {

using u64 = unsigned long long;

constexpr unsigned threads = 256;

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

__device__ std::size_t thread_index() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// ---- add_double

__device__ double atomic_add_double(double* address, double value) {
    u64* word = reinterpret_cast<u64*>(address);
    u64 seen = *word, expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected,
                         static_cast<u64>(__double_as_longlong(
                             __longlong_as_double(static_cast<long long>(expected)) + value)));
    } while (seen != expected);  // bits, not doubles: a NaN differs from itself
    return __longlong_as_double(static_cast<long long>(seen));
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t i = thread_index();
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

// ---- critical_section

struct Lock {
    int* mutex;
    __device__ void lock() {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        __threadfence();  // what the last holder wrote is seen from here on
    }
    __device__ void unlock() {
        __threadfence();  // what we wrote is seen before the lock is free
        atomicExch(mutex, 0);
    }
};

__global__ void section_kernel(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order, Lock lock) {
    if (threadIdx.x != 0) return;
    const std::size_t s = blockIdx.x;
    std::size_t place = s * length;
    for (std::size_t i = place + 1; i < (s + 1) * length; ++i) {
        if (values[i] > values[place]) place = i;
    }
    const std::int64_t v = values[place], p = static_cast<std::int64_t>(place);
    lock.lock();
    if (record[0] == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[record[0]] = static_cast<std::uint32_t>(s);
    record[0] += 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    lock.unlock();
}

// ---- transfers

__global__ void transfer_kernel(const std::uint32_t* from, const std::uint32_t* to,
                                const std::int64_t* amount, std::size_t n, std::int64_t* balance,
                                std::uint64_t* version, std::int64_t* receipt, int* mutexes) {
    const std::size_t i = thread_index();
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i];
    const std::uint32_t first = f < t ? f : t, second = f < t ? t : f;
    // Each lane gets in, works and gets out within one turn of the loop, so that no lane of the
    // warp waits for another one that stands still. The order of the two rules out a deadlock.
    for (bool done = false; !done;) {
        if (atomicCAS(mutexes + first, 0, 1) != 0) continue;
        if (first == second || atomicCAS(mutexes + second, 0, 1) == 0) {
            __threadfence();
            balance[f] -= amount[i];
            balance[t] += amount[i];
            version[f] += 1;
            if (t != f) version[t] += 1;
            receipt[4 * i] = static_cast<std::int64_t>(version[f]);
            receipt[4 * i + 1] = static_cast<std::int64_t>(version[t]);
            receipt[4 * i + 2] = balance[f];
            receipt[4 * i + 3] = balance[t];
            __threadfence();
            if (first != second) atomicExch(mutexes + second, 0);
            done = true;
        }
        atomicExch(mutexes + first, 0);
    }
}

// ---- atomic_ops

/// *word = f(*word) as one step, for what has no instruction of its own.
template <class T, class F>
__device__ void atomic_update(T* word, F f) {
    T seen = *word, expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, f(expected));
    } while (seen != expected);
}

__global__ void start_ops(std::uint32_t* result32, u64* result64, std::uint32_t* head32,
                          u64* head64) {
    const unsigned k = threadIdx.x;
    if (k < 10) {
        const bool ones = k == 4 || k == 6;
        result32[k] = ones ? ~std::uint32_t{0} : k == 9;
        result64[k] = ones ? ~u64{0} : k == 9;
    }
    if (k == 0) *head32 = ~std::uint32_t{0};
    if (k == 0) *head64 = ~u64{0};
}

__global__ void ops_kernel(const std::uint32_t* words, const u64* longs, std::size_t n,
                           std::uint32_t limit, std::uint32_t* r, u64* q, std::uint32_t* head32,
                           u64* head64, std::uint32_t* next32, u64* next64) {
    const std::size_t i = thread_index();
    if (i >= n) return;
    const std::uint32_t a = words[i];
    atomicAdd(r + 0, a);
    atomicSub(r + 1, a);
    atomicInc(r + 2, limit);
    atomicDec(r + 3, limit);
    atomicMin(r + 4, a);
    atomicMax(r + 5, a);
    atomicAnd(r + 6, a);
    atomicOr(r + 7, a);
    atomicXor(r + 8, a);
    atomic_update(r + 9, [=](std::uint32_t w) { return w * (a | 1); });
    next32[i] = atomicExch(head32, static_cast<std::uint32_t>(i));

    const u64 b = longs[i], last = limit;
    atomicAdd(q + 0, b);
    atomicAdd(q + 1, ~b + 1);  // there is no 64-bit atomicSub; minus b is its two's complement
    atomic_update(q + 2, [=](u64 w) { return w >= last ? 0 : w + 1; });
    atomic_update(q + 3, [=](u64 w) { return w == 0 || w > last ? last : w - 1; });
    atomicMin(q + 4, b);
    atomicMax(q + 5, b);
    atomicAnd(q + 6, b);
    atomicOr(q + 7, b);
    atomicXor(q + 8, b);
    atomic_update(q + 9, [=](u64 w) { return w * (b | 1); });
    next64[i] = atomicExch(head64, static_cast<u64>(i));
}

/// Mutexes that nobody holds. Their memory is kept from call to call: what cudaMalloc and cudaFree
/// take drifts, and with the baseline's time every speedup would.
int* free_mutexes(std::size_t count) {
    static int* mutexes = nullptr;
    static std::size_t capacity = 0;
    if (count > capacity) {
        cudaFree(mutexes);
        cudaMalloc(&mutexes, count * sizeof *mutexes);
        capacity = count;
    }
    cudaMemset(mutexes, 0, count * sizeof *mutexes);
    return mutexes;
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n > 0) add_kernel<<<blocks_for(n), threads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    section_kernel<<<static_cast<unsigned>(sections), 32>>>(values, length, best, record, order,
                                                            Lock{free_mutexes(1)});
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    if (n == 0) return;
    transfer_kernel<<<blocks_for(n), threads>>>(from, to, amount, n, balance, version, receipt,
                                                free_mutexes(accounts));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    // uint64_t is unsigned long here and the atomics take unsigned long long: the same 64 bits.
    u64* q = reinterpret_cast<u64*>(result64);
    u64* h = reinterpret_cast<u64*>(head64);
    start_ops<<<1, 32>>>(result32, q, head32, h);
    if (n == 0) return;
    ops_kernel<<<blocks_for(n), threads>>>(words, reinterpret_cast<const u64*>(longs), n, limit,
                                           result32, q, head32, h, next32,
                                           reinterpret_cast<u64*>(next64));
}
