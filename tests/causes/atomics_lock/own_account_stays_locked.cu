// cause: lock_not_released line 201
// task: transfers
// A transfer from an account to itself never unlocks that account; the next transfer that needs the account waits for ever.
#include "interface.cuh"

// Student file for atomics_lock.
// Accounts live in an array of structs while the bookings run: lock, version and balance in one sector.

typedef unsigned long long ull;

#define FULL 0xFFFFFFFFu
#define BLOCK 128

static inline unsigned ceil_div(size_t a, size_t b) { return (unsigned)((a + b - 1) / b); }

// ------------------------------------------------------------------ 1

__device__ double atomic_add_double(double* address, double value)
{
    ull* p = (ull*)address;
    ull old = atomicAdd(p, 0ULL);
    while (true) {
        ull next = __double_as_longlong(__longlong_as_double(old) + value);
        ull found = atomicCAS(p, old, next);
        if (found == old)
            return __longlong_as_double(old);
        old = found;
    }
}

__global__ void addDouble(const double* v, const uint32_t* tgt, size_t n, double* totals, double* before)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    bool ok = i < n;
    unsigned todo = __ballot_sync(FULL, ok);
    uint32_t t = ok ? tgt[i] : 0;
    double x = ok ? v[i] : 0.0;

    // one target after the other; all of its lanes go as one
    while (todo) {
        int boss = __ffs(todo) - 1;
        uint32_t now = __shfl_sync(FULL, t, boss);
        unsigned group = __ballot_sync(FULL, ok && t == now) & todo;
        bool member = (group >> lane) & 1;
        double mine = 0, sum = 0;
        for (unsigned rest = group; rest; rest &= rest - 1) {
            unsigned src = __ffs(rest) - 1;
            double y = __shfl_sync(FULL, x, src);
            if (src == lane) mine = sum;
            sum += y;
        }
        double base = 0;
        if ((int)lane == boss)
            base = atomic_add_double(&totals[now], sum);
        base = __shfl_sync(FULL, base, boss);
        if (member)
            before[i] = base + mine;
        todo &= ~group;
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before)
{
    cudaMemset(totals, 0, sizeof(double) * m);
    if (n == 0) return;
    addDouble<<<ceil_div(n, BLOCK), BLOCK>>>(values, targets, n, totals, before);
}

// ------------------------------------------------------------------ 2

class SpinLock {
    int state;
public:
    __device__ void init() { state = 0; }
    __device__ bool try_lock()
    {
        if (atomicExch(&state, 1) != 0) return false;
        __threadfence();
        return true;
    }
    __device__ void lock() { while (!try_lock()) ; }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(&state, 0);
    }
};

__device__ SpinLock recordLock;

__global__ void beginSection(std::uint64_t* record)
{
    recordLock.init();
    record[0] = record[1] = 0;
}

__global__ void sectionKernel(const int32_t* values, size_t length, std::int64_t* best,
                              std::uint64_t* record, uint32_t* order)
{
    __shared__ int32_t val[BLOCK];
    __shared__ size_t pos[BLOCK];
    const size_t s = blockIdx.x;
    const int32_t* row = values + s * length;
    const int t = threadIdx.x;

    int32_t v = INT32_MIN;
    size_t p = length;              // "no place": beyond all places
    for (size_t k = t; k < length; k += BLOCK)
        if (p == length || row[k] > v) { v = row[k]; p = k; }
    val[t] = v;
    pos[t] = p;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d >>= 1) {
        if (t < d) {
            bool better = val[t + d] > val[t] || (val[t + d] == val[t] && pos[t + d] < pos[t]);
            if (better) { val[t] = val[t + d]; pos[t] = pos[t + d]; }
        }
        __syncthreads();
    }
    if (t != 0) return;

    const long long value = val[0], place = (long long)(s * length + pos[0]);
    volatile std::int64_t* b = best;
    volatile std::uint64_t* r = record;
    volatile uint32_t* o = order;
    recordLock.lock();
    if (r[0] == 0 || value > b[0] || (value == b[0] && place < b[1])) {
        b[0] = value;
        b[1] = place;
    }
    o[r[0]] = (uint32_t)s;
    r[0] = r[0] + 1;
    r[1] = r[1] * checksum_multiplier + (s + 1);
    recordLock.unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order)
{
    beginSection<<<1, 1>>>(record);
    sectionKernel<<<(unsigned)sections, BLOCK>>>(values, length, best, record, order);
}

// ------------------------------------------------------------------ 3

struct Account {
    SpinLock guard;
    unsigned unused;
    volatile ull version;
    volatile long long balance;
};

__global__ void openAccounts(const std::int64_t* opening, size_t count, Account* acc)
{
    for (size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x; a < count; a += (size_t)gridDim.x * blockDim.x) {
        acc[a].guard.init();
        acc[a].version = 0;
        acc[a].balance = opening[a];
    }
}

__global__ void closeAccounts(const Account* acc, size_t count, std::int64_t* balance, std::uint64_t* version)
{
    for (size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x; a < count; a += (size_t)gridDim.x * blockDim.x) {
        balance[a] = acc[a].balance;
        version[a] = acc[a].version;
    }
}

__device__ void book(Account& src, Account& dst, bool same, long long amount, std::int64_t* out)
{
    src.version = src.version + 1;
    if (!same) {
        src.balance = src.balance - amount;
        dst.balance = dst.balance + amount;
        dst.version = dst.version + 1;
    }
    out[0] = (long long)src.version;
    out[1] = (long long)dst.version;
    out[2] = src.balance;
    out[3] = dst.balance;
}

__global__ void bookAll(const uint32_t* from, const uint32_t* to, const std::int64_t* amount, size_t n,
                        Account* acc, std::int64_t* receipt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t f = from[i], t = to[i];
    Account& a = acc[min(f, t)];
    Account& b = acc[max(f, t)];
    bool done = false;
    while (!done) {
        if (a.guard.try_lock()) {
            if (f == t || b.guard.try_lock()) {
                book(acc[f], acc[t], f == t, amount[i], receipt + 4 * i);
                if (f != t) {
                    b.guard.unlock();
                    a.guard.unlock();
                }
                done = true;
            } else {
                a.guard.unlock();
            }
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt)
{
    static Account* acc = nullptr;
    static size_t room = 0;
    if (accounts > room) {
        if (acc) cudaFree(acc);
        cudaMalloc((void**)&acc, accounts * sizeof(Account));
        room = accounts;
    }
    const unsigned grid = min(ceil_div(accounts, BLOCK), 4096u);
    openAccounts<<<grid, BLOCK>>>(opening, accounts, acc);
    if (n) bookAll<<<ceil_div(n, BLOCK), BLOCK>>>(from, to, amount, n, acc, receipt);
    closeAccounts<<<grid, BLOCK>>>(acc, accounts, balance, version);
}

// ------------------------------------------------------------------ 4

// What a block knows about its elements, put together in shared memory.
template <typename W>
struct Summary {
    W sum, lo, hi, all, any, odd, prod;
};

__device__ unsigned times(unsigned* w, unsigned f)
{
    unsigned old = atomicOr(w, 0u), seen;
    do { seen = old; old = atomicCAS(w, seen, seen * f); } while (old != seen);
    return old;
}

__device__ ull times(ull* w, ull f)
{
    ull old = atomicOr(w, 0ULL), seen;
    do { seen = old; old = atomicCAS(w, seen, seen * f); } while (old != seen);
    return old;
}

// count steps of inc (or of dec) at once, on a word that counts modulo limit + 1
template <typename W>
__device__ void turn(W* w, ull count, ull limit)
{
    W old = atomicOr(w, (W)0), seen;
    do { seen = old; old = atomicCAS(w, seen, (W)((seen + count) % (limit + 1))); } while (old != seen);
}

template <typename W>
__device__ void note(Summary<W>& s, W x)
{
    atomicAdd(&s.sum, x);
    atomicMin(&s.lo, x);
    atomicMax(&s.hi, x);
    atomicAnd(&s.all, x);
    atomicOr(&s.any, x);
    atomicXor(&s.odd, x);
    times(&s.prod, (W)(x | 1));
}

template <typename W>
__device__ void clear(Summary<W>& s)
{
    s.sum = s.hi = s.any = s.odd = 0;
    s.lo = s.all = ~(W)0;
    s.prod = 1;
}

template <typename W>
__device__ void publish(const Summary<W>& s, W* r, ull count, ull limit)
{
    atomicAdd(&r[0], s.sum);
    atomicAdd(&r[1], (W)0 - s.sum);
    ull k = count % (limit + 1);
    turn(&r[2], k, limit);
    turn(&r[3], limit + 1 - k, limit);
    atomicMin(&r[4], s.lo);
    atomicMax(&r[5], s.hi);
    atomicAnd(&r[6], s.all);
    atomicOr(&r[7], s.any);
    atomicXor(&r[8], s.odd);
    times(&r[9], s.prod);
}

__global__ void startOps(unsigned* r32, ull* r64, unsigned* h32, ull* h64)
{
    for (int k = 0; k < 10; ++k) {
        r32[k] = 0;
        r64[k] = 0;
    }
    r32[4] = r32[6] = *h32 = 0xFFFFFFFFu;
    r64[4] = r64[6] = *h64 = ~0ULL;
    r32[9] = 1;
    r64[9] = 1;
}

__global__ void allOps(const uint32_t* words, const std::uint64_t* longs, size_t n, uint32_t limit,
                       unsigned* r32, ull* r64, unsigned* h32, ull* h64, uint32_t* next32, std::uint64_t* next64)
{
    __shared__ Summary<unsigned> s32;
    __shared__ Summary<ull> s64;
    __shared__ unsigned top32[BLOCK];
    const int t = threadIdx.x;
    if (t == 0) { clear(s32); clear(s64); }
    __syncthreads();
    const size_t first = blockIdx.x * (size_t)BLOCK, i = first + t;
    if (i < n) {
        note(s32, (unsigned)words[i]);
        note(s64, (ull)longs[i]);
        top32[t] = (unsigned)i;
    }
    __syncthreads();
    const size_t here = min(n - first, (size_t)BLOCK);
    if (i < n && t > 0) {
        next32[i] = top32[t - 1];
        next64[i] = top32[t - 1];
    }
    if (t == 0) {
        publish(s32, r32, here, limit);
        publish(s64, r64, here, limit);
        next32[i] = atomicExch(h32, top32[here - 1]);
        next64[i] = atomicExch(h64, (ull)top32[here - 1]);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64)
{
    startOps<<<1, 1>>>(result32, (ull*)result64, head32, (ull*)head64);
    if (n == 0) return;
    allOps<<<ceil_div(n, BLOCK), BLOCK>>>(words, longs, n, limit, result32, (ull*)result64, head32,
                                          (ull*)head64, next32, next64);
}
