// cause: saturated line 180
// task: atomic_ops
// The closed form of inc stays at the limit instead of going back to 0: shows when n is above the limit.
#include "interface.cuh"

#include <climits>

typedef unsigned long long u64;

// ------------------------------------------------------------------ add_double

__device__ double atomic_add_double(double* address, double value) {
    u64* bits = (u64*)address;
    u64 seen = *(volatile u64*)bits, expected;
    do {
        expected = seen;
        double sum = __longlong_as_double((long long)expected) + value;
        seen = atomicCAS(bits, expected, (u64)__double_as_longlong(sum));
    } while (seen != expected);
    return __longlong_as_double((long long)seen);
}

// The block adds up its own values first, then adds each of its totals to the target's in one go.
__global__ void add_in_block(const double* values, const std::uint32_t* targets, size_t n,
                             double* totals, unsigned m, double* before) {
    extern __shared__ double block_total[];
    double* block_before = block_total + m;
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) block_total[t] = 0;
    __syncthreads();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double local = 0;
    if (i < n) local = atomic_add_double(&block_total[targets[i]], values[i]);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        if (block_total[t] != 0) block_before[t] = atomic_add_double(&totals[t], block_total[t]);
    }
    __syncthreads();
    if (i < n) before[i] = block_before[targets[i]] + local;
}

__global__ void add_one_by_one(const double* values, const std::uint32_t* targets, size_t n,
                               double* totals, double* before) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;
    const size_t blocks = (n + 255) / 256;
    const size_t shared_bytes = 2 * m * sizeof(double);
    const size_t room = 16 * 1024;
    if (shared_bytes <= room) {
        add_in_block<<<blocks, 256, shared_bytes>>>(values, targets, n, totals, (unsigned)m,
                                                    before);
    } else {
        add_one_by_one<<<blocks, 256>>>(values, targets, n, totals, before);
    }
}

// ------------------------------------------------------------ critical_section

struct Lock {
    unsigned taken;
    __device__ void lock() {
        while (atomicCAS(&taken, 0u, 1u) != 0u) __nanosleep(200);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&taken, 0u);
    }
};

__device__ Lock record_lock;

__device__ bool better(long long v, long long p, long long than_v, long long than_p) {
    return v > than_v || (v == than_v && p < than_p);
}

__global__ void enter_sections(const int* values, size_t length, volatile std::int64_t* best,
                               volatile std::uint64_t* record, std::uint32_t* order) {
    __shared__ long long top[256], place[256];
    const int me = threadIdx.x;
    const size_t s = blockIdx.x;
    long long v = LLONG_MIN, p = LLONG_MAX;
    for (size_t k = me; k < length; k += 256) {
        const long long mine = values[s * length + k];
        if (mine > v) {
            v = mine;
            p = (long long)(s * length + k);
        }
    }
    top[me] = v;
    place[me] = p;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (me < half && better(top[me + half], place[me + half], top[me], place[me])) {
            top[me] = top[me + half];
            place[me] = place[me + half];
        }
        __syncthreads();
    }
    if (me == 0) {
        record_lock.lock();
        const u64 entries = record[0];
        if (entries == 0 || better(top[0], place[0], best[0], best[1])) {
            best[0] = top[0];
            best[1] = place[0];
        }
        order[entries] = (std::uint32_t)s;
        record[0] = entries + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        record_lock.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter_sections<<<sections, 256>>>(values, length, best, record, order);
}

// ------------------------------------------------------------------- transfers

__global__ void book(const std::uint32_t* from, const std::uint32_t* to,
                     const std::int64_t* amount, size_t n, unsigned* locks,
                     volatile std::int64_t* balance, volatile std::uint64_t* version,
                     std::int64_t* receipt) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned f = from[i], t = to[i];
    const unsigned low = f < t ? f : t, high = f < t ? t : f;
    long long row[4];
    bool booked = false;
    while (!booked) {
        if (atomicCAS(&locks[low], 0u, 1u) == 0u) {
            if (low == high || atomicCAS(&locks[high], 0u, 1u) == 0u) {
                __threadfence();
                balance[f] = balance[f] - amount[i];
                balance[t] = balance[t] + amount[i];
                version[f] = version[f] + 1;
                if (t != f) version[t] = version[t] + 1;
                row[0] = (long long)version[f];
                row[1] = (long long)version[t];
                row[2] = balance[f];
                row[3] = balance[t];
                __threadfence();
                if (low != high) atomicExch(&locks[high], 0u);
                booked = true;
            }
            atomicExch(&locks[low], 0u);
        }
    }
    for (int k = 0; k < 4; ++k) receipt[4 * i + k] = row[k];
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static unsigned* locks = nullptr;
    static size_t lock_count = 0;
    if (accounts > lock_count) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(unsigned));
        lock_count = accounts;
    }
    cudaMemset(locks, 0, accounts * sizeof(unsigned));
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    if (n > 0) {
        book<<<(n + 255) / 256, 256>>>(from, to, amount, n, locks, balance, version, receipt);
    }
}

// ------------------------------------------------------------------ atomic_ops

// Where a word that starts as 0 is after so many times inc, or dec: they only depend on the number.
__device__ u64 after_inc(u64 times, u64 limit) { return times < limit ? times : limit; }

__device__ u64 after_dec(u64 times, u64 limit) {
    const u64 steps = times % (limit + 1);
    return steps == 0 ? 0 : limit + 1 - steps;
}

__global__ void set_up(size_t n, unsigned limit, unsigned* r32, u64* r64, unsigned* h32, u64* h64) {
    for (int k = 0; k < 10; ++k) {
        const bool ones = k == 4 || k == 6;
        r32[k] = ones ? ~0u : 0u;
        r64[k] = ones ? ~0ull : 0ull;
    }
    r32[2] = (unsigned)after_inc(n, limit);
    r64[2] = after_inc(n, limit);
    r32[3] = (unsigned)after_dec(n, limit);
    r64[3] = after_dec(n, limit);
    r32[9] = 1;
    r64[9] = 1;
    *h32 = ~0u;
    *h64 = ~0ull;
}

template <class T>
__device__ T combine(int op, T a, T b) {
    switch (op) {
        case 4: return a < b ? a : b;
        case 5: return a < b ? b : a;
        case 6: return a & b;
        case 7: return a | b;
        case 8: return a ^ b;
        case 9: return a * b;
        default: return a + b;
    }
}

template <class T>
__device__ T over_warp(int op, T v) {
    for (int d = 16; d > 0; d /= 2) v = combine(op, v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

template <class T>
__device__ void multiply(T* word, T factor) {
    T seen = *(volatile T*)word, old;
    do {
        old = seen;
        seen = atomicCAS(word, old, old * factor);
    } while (seen != old);
}

template <class T>
__device__ void apply(T* result, T a, bool inside) {
    const T sum = over_warp<T>(0, inside ? a : T(0));
    const T low = over_warp<T>(4, inside ? a : T(~T(0)));
    const T high = over_warp<T>(5, inside ? a : T(0));
    const T all = over_warp<T>(6, inside ? a : T(~T(0)));
    const T any = over_warp<T>(7, inside ? a : T(0));
    const T odd = over_warp<T>(8, inside ? a : T(0));
    const T product = over_warp<T>(9, inside ? T(a | 1) : T(1));
    if (threadIdx.x % 32 != 0) return;
    atomicAdd(&result[0], sum);
    atomicAdd(&result[1], T(0) - sum);
    atomicMin(&result[4], low);
    atomicMax(&result[5], high);
    atomicAnd(&result[6], all);
    atomicOr(&result[7], any);
    atomicXor(&result[8], odd);
    multiply(&result[9], product);
}

__global__ void operate(const unsigned* words, const u64* longs, size_t n, unsigned* r32, u64* r64,
                        unsigned* h32, u64* h64, unsigned* next32, u64* next64) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    apply<unsigned>(r32, i < n ? words[i] : 0u, i < n);
    apply<u64>(r64, i < n ? longs[i] : 0ull, i < n);
    if (i >= n) return;
    // The elements of a block go into the list as a chain.
    if (threadIdx.x > 0) {
        next32[i] = (unsigned)(i - 1);
        next64[i] = i - 1;
    } else {
        const size_t end = i + blockDim.x < n ? i + blockDim.x - 1 : n - 1;
        next32[i] = atomicExch(h32, (unsigned)end);
        next64[i] = atomicExch(h64, (u64)end);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    set_up<<<1, 1>>>(n, limit, result32, (u64*)result64, head32, (u64*)head64);
    if (n > 0) {
        operate<<<(n + 511) / 512, 512>>>(words, (const u64*)longs, n, result32, (u64*)result64,
                                          head32, (u64*)head64, next32, (u64*)next64);
    }
}
