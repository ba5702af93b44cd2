// cause: lock_per_lane line 148
// task: critical_section
// All lanes of the first warp wait for the lock before they take turns, and the lane that has it waits for them in __syncwarp; deadlock when a block has two or more sections.
// Homework: atomics and locks
#include "interface.cuh"

#include <cstdio>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t status_ = (call);                                                   \
        if (status_ != cudaSuccess)                                                     \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status_));       \
    } while (0)

typedef unsigned long long u64_t;

const unsigned WARP_MASK = 0xffffffff;

// one lock word per object; whoever changes it from FREE to BUSY has it
enum : unsigned { FREE = 0, BUSY = 1 };

__device__ inline bool tryAcquire(unsigned* word)
{
    if (atomicCAS(word, FREE, BUSY) != FREE) return false;
    __threadfence();
    return true;
}

__device__ inline void release(unsigned* word)
{
    __threadfence();
    atomicExch(word, FREE);
}

/////////////////////////////////////////////////////////////////////////////////////////////
// add_double

__device__ double atomic_add_double(double* address, double value)
{
    u64_t* const where = reinterpret_cast<u64_t*>(address);
    u64_t was = atomicCAS(where, 0ull, 0ull);
    u64_t compare;
    do {
        compare = was;
        double sum = __longlong_as_double(compare) + value;
        was = atomicCAS(where, compare, __double_as_longlong(sum));
    } while (was != compare);
    return __longlong_as_double(was);
}

__global__ void addDoubleKernel(const double* __restrict__ values, const uint32_t* __restrict__ targets,
                                size_t n, double* totals, double* __restrict__ before)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const int lane = threadIdx.x & 31;
    // all lanes make the same number of rounds
    for (size_t base = (size_t)blockIdx.x * blockDim.x + threadIdx.x - lane; base < n; base += step) {
        const size_t i = base + lane;
        const bool in = i < n;
        const unsigned mask = __ballot_sync(WARP_MASK, in);
        if (in) {
            const uint32_t t = targets[i];
            const unsigned same = __match_any_sync(mask, t);
            // inclusive sums over the lanes with the same target
            double sum = 0;
            double v = values[i];
            double own = 0;
            unsigned rest = same;
            while (rest) {
                const int from = __ffs(rest) - 1;
                rest &= rest - 1;
                if (from == lane) own = sum;
                sum += __shfl_sync(same, v, from);
            }
            const int last = 31 - __clz(same);
            double got = 0;
            if (lane == last) got = atomic_add_double(&totals[t], sum);
            got = __shfl_sync(same, got, last);
            before[i] = got + own;
        }
        __syncwarp();
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before)
{
    CHECK(cudaMemset(totals, 0, m * sizeof(double)));
    if (n == 0) return;
    size_t blocks = (n + 255) / 256;
    if (blocks > 2048) blocks = 2048;
    addDoubleKernel<<<(unsigned)blocks, 256>>>(values, targets, n, totals, before);
    CHECK(cudaGetLastError());
}

/////////////////////////////////////////////////////////////////////////////////////////////
// critical_section: each warp of a block searches one section, then the first warp enters all 32

__device__ unsigned recordLock;

__global__ void resetRecord(uint64_t* record)
{
    record[0] = 0;
    record[1] = 0;
    recordLock = FREE;
}

__device__ void writeEntry(long long v, long long p, size_t s, volatile int64_t* best,
                           volatile uint64_t* record, volatile uint32_t* order)
{
    const uint64_t k = record[0];
    if (k == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[k] = (uint32_t)s;
    record[0] = k + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
}

__global__ void __launch_bounds__(1024)
sectionsKernel(const int32_t* __restrict__ values, size_t sections, size_t length, int64_t* best,
               uint64_t* record, uint32_t* order)
{
    __shared__ long long maxOf[32];
    __shared__ long long placeOf[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    const size_t row = (size_t)blockIdx.x * 32 + warp;
    if (row < sections) {
        long long v = -0x7fffffffffffffffLL, p = 0x7fffffffffffffffLL;
        for (size_t j = lane; j < length; j += 32) {
            const long long x = values[row * length + j];
            if (x > v) { v = x; p = (long long)(row * length + j); }
        }
        for (int d = 16; d >= 1; d >>= 1) {
            const long long v2 = __shfl_down_sync(WARP_MASK, v, d);
            const long long p2 = __shfl_down_sync(WARP_MASK, p, d);
            if (v2 > v || (v2 == v && p2 < p)) { v = v2; p = p2; }
        }
        if (lane == 0) { maxOf[warp] = v; placeOf[warp] = p; }
    }
    __syncthreads();

    if (warp == 0) {
        const size_t s = (size_t)blockIdx.x * 32 + lane;
        while (s < sections && !tryAcquire(&recordLock)) { }
        for (int turn = 0; turn < 32; ++turn) {
            if (turn == lane && s < sections) {
                writeEntry(maxOf[lane], placeOf[lane], s, best, record, order);
                release(&recordLock);
            }
            __syncwarp();
        }
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order)
{
    resetRecord<<<1, 1>>>(record);
    sectionsKernel<<<(unsigned)((sections + 31) / 32), 1024>>>(values, sections, length, best, record, order);
    CHECK(cudaGetLastError());
}

/////////////////////////////////////////////////////////////////////////////////////////////
// transfers

__global__ void initAccounts(const int64_t* opening, size_t count, int64_t* balance, uint64_t* version, unsigned* locks)
{
    size_t a = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= count) return;
    balance[a] = opening[a];
    version[a] = 0;
    locks[a] = FREE;
}

__global__ void transferKernel(const uint32_t* from, const uint32_t* to, const int64_t* amount, size_t n,
                               int64_t* balances, uint64_t* versions, int64_t* receipt, unsigned* locks)
{
    volatile int64_t* balance = balances;
    volatile uint64_t* version = versions;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t f = from[i], t = to[i];
        const int64_t x = amount[i];
        uint32_t one = f, two = t;
        if (two < one) { one = t; two = f; }
        long long vf = 0, vt = 0, bf = 0, bt = 0;
        for (bool finished = false; !finished;) {
            if (tryAcquire(locks + one)) {
                const bool both = one == two || tryAcquire(locks + two);
                if (both) {
                    vf = (long long)(version[f] + 1);
                    version[f] = (uint64_t)vf;
                    if (one == two) {
                        vt = vf;
                        bf = bt = balance[f];
                    } else {
                        vt = (long long)(version[t] + 1);
                        version[t] = (uint64_t)vt;
                        bf = balance[f] - x;
                        bt = balance[t] + x;
                        balance[f] = bf;
                        balance[t] = bt;
                        release(locks + two);
                    }
                    finished = true;
                }
                release(locks + one);
            }
        }
        receipt[4 * i + 0] = vf;
        receipt[4 * i + 1] = vt;
        receipt[4 * i + 2] = bf;
        receipt[4 * i + 3] = bt;
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt)
{
    static unsigned* locks = NULL;
    static size_t lockCount = 0;
    if (accounts > lockCount) {
        CHECK(cudaFree(locks));
        CHECK(cudaMalloc(&locks, accounts * sizeof(unsigned)));
        lockCount = accounts;
    }
    initAccounts<<<(unsigned)((accounts + 255) / 256), 256>>>(opening, accounts, balance, version, locks);
    if (n > 0) {
        size_t blocks = (n + 127) / 128;
        if (blocks > 4096) blocks = 4096;
        transferKernel<<<(unsigned)blocks, 128>>>(from, to, amount, n, balance, version, receipt, locks);
    }
    CHECK(cudaGetLastError());
}

/////////////////////////////////////////////////////////////////////////////////////////////
// atomic_ops: a warp combines with xor shuffles, its first lane does one atomic for all 32

__global__ void initOps(unsigned* r32, u64_t* r64, unsigned* h32, u64_t* h64)
{
    const unsigned k = threadIdx.x;
    const bool ones = k == 4 || k == 6;
    if (k < 10) {
        r32[k] = ones ? 0xffffffffu : k == 9;
        r64[k] = ones ? 0xffffffffffffffffull : k == 9;
    } else if (k == 10) {
        *h32 = 0xffffffffu;
        *h64 = 0xffffffffffffffffull;
    }
}

#define WARP_COMBINE(T, var, expr)                                      \
    for (int d = 16; d > 0; d >>= 1) {                                  \
        const T a = var, b = __shfl_xor_sync(WARP_MASK, var, d);        \
        var = (expr);                                                   \
    }

#define UPDATE(T, word, expr)                                           \
    for (T w = atomicAdd(word, (T)0), seen; ; w = seen) {               \
        seen = atomicCAS(word, w, (T)(expr));                           \
        if (seen == w) break;                                           \
    }

template <typename T>
__device__ void operate(T x, bool in, unsigned count, u64_t limit, T* r)
{
    T sum = in ? x : 0, lo = in ? x : (T)-1, hi = sum, all = lo, any = sum, par = sum;
    T prod = in ? (x | 1) : 1;
    WARP_COMBINE(T, sum, a + b)
    WARP_COMBINE(T, lo, a < b ? a : b)
    WARP_COMBINE(T, hi, a > b ? a : b)
    WARP_COMBINE(T, all, a & b)
    WARP_COMBINE(T, any, a | b)
    WARP_COMBINE(T, par, a ^ b)
    WARP_COMBINE(T, prod, a * b)
    if (threadIdx.x % 32 != 0) return;
    const u64_t cycle = limit + 1, k = count % cycle;
    atomicAdd(&r[0], sum);
    atomicAdd(&r[1], (T)(0 - sum));
    UPDATE(T, &r[2], (w + k) % cycle)
    UPDATE(T, &r[3], (w + (cycle - k)) % cycle)
    atomicMin(&r[4], lo);
    atomicMax(&r[5], hi);
    atomicAnd(&r[6], all);
    atomicOr(&r[7], any);
    atomicXor(&r[8], par);
    UPDATE(T, &r[9], w * prod)
}

__global__ void opsKernel(const uint32_t* words, const uint64_t* longs, size_t n, uint32_t limit,
                          unsigned* r32, u64_t* r64, unsigned* h32, u64_t* h64, uint32_t* next32, uint64_t* next64)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const bool in = i < n;
    const unsigned mask = __ballot_sync(WARP_MASK, in);
    if (mask == 0) return;
    const int count = __popc(mask);
    operate<unsigned>(in ? words[i] : 0, in, count, limit, r32);
    operate<u64_t>(in ? longs[i] : 0, in, count, limit, r64);
    if (!in) return;
    if (threadIdx.x % 32 == 0) {
        // the warp's elements hang together: the last one becomes the head
        const size_t last = i + count - 1;
        next32[i] = atomicExch(h32, (unsigned)last);
        next64[i] = atomicExch(h64, (u64_t)last);
    } else {
        next32[i] = (uint32_t)(i - 1);
        next64[i] = i - 1;
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64)
{
    initOps<<<1, 32>>>(result32, (u64_t*)result64, head32, (u64_t*)head64);
    if (n > 0)
        opsKernel<<<(unsigned)((n + 255) / 256), 256>>>(words, longs, n, limit, result32, (u64_t*)result64,
                                                       head32, (u64_t*)head64, next32, next64);
    CHECK(cudaGetLastError());
}
