// cause: lock_taken_twice line 192
// task: transfers
// There is one lock for four accounts, but whether a second lock is needed is asked of the accounts: two different accounts of one group make the thread wait for the lock that it holds, for ever.
#include "interface.cuh"

typedef unsigned long long ull;

#define FULL_WARP 0xffffffffu

static inline int ceil_div(size_t a, size_t b) { return (int)((a + b - 1) / b); }

/* ---- task 1 ---- */

__device__ double atomic_add_double(double *address, double value)
{
    ull *bits = (ull *)address;
    ull assumed = 0ull; /* only a guess, the swap tells the truth */
    for (;;) {
        double next = __longlong_as_double((long long)assumed) + value;
        ull found = atomicCAS(bits, assumed, (ull)__double_as_longlong(next));
        if (found == assumed)
            return __longlong_as_double((long long)found);
        assumed = found;
    }
}

__global__ void addDoubleKernel(const double *values, const uint32_t *targets, size_t n,
                                double *totals, double *before)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    bool valid = i < n;
    double value = valid ? values[i] : 0.0;
    uint32_t target = valid ? targets[i] : 0u;

    unsigned todo = __ballot_sync(FULL_WARP, valid);
    while (todo != 0) {
        int leader = __ffs(todo) - 1;
        uint32_t key = __shfl_sync(FULL_WARP, target, leader);
        bool member = valid && target == key;
        unsigned group = __ballot_sync(FULL_WARP, member);

        /* running sum over the members' lanes */
        double run = member ? value : 0.0;
        for (int d = 1; d < 32; d *= 2) {
            double up = __shfl_up_sync(FULL_WARP, run, d);
            if (lane >= d)
                run += up;
        }
        double whole = __shfl_sync(FULL_WARP, run, 31);
        double ahead = __shfl_up_sync(FULL_WARP, run, 1);
        if (lane == 0)
            ahead = 0.0;

        double base = 0.0;
        if (lane == leader)
            base = atomic_add_double(&totals[key], whole);
        base = __shfl_sync(FULL_WARP, base, leader);
        if (member)
            before[i] = base + ahead;
        todo &= ~group;
    }
}

void add_double(const double *values, const std::uint32_t *targets, std::size_t n, double *totals,
                std::size_t m, double *before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0)
        return;
    addDoubleKernel<<<ceil_div(n, 128), 128>>>(values, targets, n, totals, before);
}

/* ---- task 2 ---- */

class Lock {
public:
    __device__ void reset() { state = 0; }
    __device__ void lock()
    {
        while (atomicCAS(&state, 0, 1) != 0) { }
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(&state, 0);
    }

private:
    int state;
};

__device__ Lock recordLock;

__global__ void prepareRecord(int64_t *best, uint64_t *record)
{
    recordLock.reset();
    best[0] = best[1] = 0;
    record[0] = record[1] = 0;
}

__device__ void enter(uint32_t s, int64_t v, int64_t p, volatile int64_t *best,
                      volatile uint64_t *record, volatile uint32_t *order)
{
    recordLock.lock();
    uint64_t entries = record[0];
    order[entries] = s;
    record[0] = entries + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1ull);

    bool better = entries == 0 || v > best[0] || (v == best[0] && p < best[1]);
    if (!better) {
        recordLock.unlock();
        return;
    }
    best[0] = v;
    best[1] = p;
    recordLock.unlock();
}

struct Candidate {
    int64_t value, place;
};

__device__ Candidate better_of(Candidate a, Candidate b)
{
    if (b.value > a.value || (b.value == a.value && b.place < a.place))
        return b;
    return a;
}

__device__ Candidate warp_best(Candidate c)
{
    for (int d = 16; d > 0; d >>= 1) {
        Candidate other;
        other.value = __shfl_down_sync(FULL_WARP, (long long)c.value, d);
        other.place = __shfl_down_sync(FULL_WARP, (long long)c.place, d);
        c = better_of(c, other);
    }
    return c;
}

__global__ void sectionKernel(const int32_t *values, size_t length, int64_t *best,
                              uint64_t *record, uint32_t *order)
{
    __shared__ Candidate perWarp[8];
    int64_t start = (int64_t)(blockIdx.x * length);
    const Candidate nobody = {INT64_MIN, INT64_MAX};

    Candidate mine = nobody;
    for (size_t j = threadIdx.x; j < length; j += blockDim.x) {
        Candidate c = {values[start + j], (int64_t)(start + j)};
        mine = better_of(mine, c);
    }
    mine = warp_best(mine);
    if (threadIdx.x % 32 == 0)
        perWarp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = warp_best(threadIdx.x < 8 ? perWarp[threadIdx.x] : nobody);
        if (threadIdx.x == 0)
            enter(blockIdx.x, mine.value, mine.place, best, record, order);
    }
}

void critical_section(const std::int32_t *values, std::size_t sections, std::size_t length,
                      std::int64_t *best, std::uint64_t *record, std::uint32_t *order)
{
    prepareRecord<<<1, 1>>>(best, record);
    sectionKernel<<<(unsigned)sections, 256>>>(values, length, best, record, order);
}

/* ---- task 3: one lock for every branch of the bank, a branch has four accounts ---- */

#define ACCOUNTS_PER_BRANCH 4

__device__ bool try_lock(int *lock) { return atomicCAS(lock, 0, 1) == 0; }

__global__ void transferKernel(int *locks, const uint32_t *from, const uint32_t *to,
                               const int64_t *amount, size_t n, volatile int64_t *balance,
                               volatile uint64_t *version, int64_t *receipt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t f = from[i], t = to[i];
    int64_t sum = amount[i];
    uint32_t x = f / ACCOUNTS_PER_BRANCH, y = t / ACCOUNTS_PER_BRANCH;
    int *first = &locks[min(x, y)];
    int *second = &locks[max(x, y)];
    bool two = f != t;

    for (bool booked = false; !booked;) {
        if (!try_lock(first))
            continue;
        if (!two || try_lock(second)) {
            __threadfence();
            balance[f] = balance[f] - sum;
            balance[t] = balance[t] + sum;
            version[f] = version[f] + 1;
            if (t != f)
                version[t] = version[t] + 1;
            int64_t *row = receipt + 4 * i;
            row[0] = (int64_t)version[f];
            row[1] = (int64_t)version[t];
            row[2] = balance[f];
            row[3] = balance[t];
            __threadfence();
            if (two)
                atomicExch(second, 0);
            booked = true;
        }
        atomicExch(first, 0);
    }
}

void transfers(const std::int64_t *opening, std::size_t accounts, const std::uint32_t *from,
               const std::uint32_t *to, const std::int64_t *amount, std::size_t n,
               std::int64_t *balance, std::uint64_t *version, std::int64_t *receipt)
{
    static int *locks = nullptr;
    static size_t have = 0;
    size_t branches = ceil_div(accounts, ACCOUNTS_PER_BRANCH);
    if (have < branches) {
        cudaFree(locks);
        cudaMalloc(&locks, branches * sizeof(int));
        have = branches;
    }
    cudaMemset(locks, 0, branches * sizeof(int));
    cudaMemcpy(balance, opening, accounts * sizeof(int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(uint64_t));
    if (n > 0)
        transferKernel<<<ceil_div(n, 256), 256>>>(locks, from, to, amount, n, balance, version,
                                                  receipt);
}

/* ---- task 4: every block boils its part down to one value per operation ---- */

template <typename T>
struct Partial {
    T sum, least, most, all, any, odd, product;

    __device__ static Partial empty()
    {
        Partial p;
        p.sum = 0;
        p.least = ~T(0);
        p.most = 0;
        p.all = ~T(0);
        p.any = 0;
        p.odd = 0;
        p.product = 1;
        return p;
    }
    __device__ void take(T w)
    {
        sum += w;
        least = w < least ? w : least;
        most = w > most ? w : most;
        all &= w;
        any |= w;
        odd ^= w;
        product *= w | T(1);
    }
    __device__ void join(const Partial &o)
    {
        sum += o.sum;
        least = o.least < least ? o.least : least;
        most = o.most > most ? o.most : most;
        all &= o.all;
        any |= o.any;
        odd ^= o.odd;
        product *= o.product;
    }
};

template <typename T, typename F>
__device__ void cas_update(T *word, F f)
{
    T assumed = T(0);
    for (;;) {
        T found = atomicCAS(word, assumed, f(assumed));
        if (found == assumed)
            return;
        assumed = found;
    }
}

#define OPS_THREADS 128
#define OPS_CHUNK 1024

template <typename T>
__device__ void merge(T *result, const Partial<T> &p, T count, T limit)
{
    atomicAdd(&result[0], p.sum);
    atomicAdd(&result[1], T(0) - p.sum);
    cas_update(&result[2], [=](T w) {
        return (T)(((ull)w + count) % ((ull)limit + 1));
    });
    cas_update(&result[3], [=](T w) {
        ull round = (ull)limit + 1;
        return (T)((w + round - count % round) % round);
    });
    atomicMin(&result[4], p.least);
    atomicMax(&result[5], p.most);
    atomicAnd(&result[6], p.all);
    atomicOr(&result[7], p.any);
    atomicXor(&result[8], p.odd);
    cas_update(&result[9], [=](T w) { return (T)(w * p.product); });
}

template <typename T, typename In>
__global__ void opsKernel(const In *in, size_t n, T limit, T *result, T *head, In *next)
{
    __shared__ Partial<T> part[OPS_THREADS];
    size_t begin = (size_t)blockIdx.x * OPS_CHUNK;
    size_t end = begin + OPS_CHUNK < n ? begin + OPS_CHUNK : n;

    Partial<T> mine = Partial<T>::empty();
    for (size_t i = begin + threadIdx.x; i < end; i += OPS_THREADS) {
        mine.take(in[i]);
        if (i > begin)
            next[i] = (In)(i - 1);
    }
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = OPS_THREADS / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x].join(part[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        merge<T>(result, part[0], (T)(end - begin), limit);
        next[begin] = atomicExch(head, (T)(end - 1));
    }
}

template <typename T>
__global__ void opsStart(T *result, T *head)
{
    for (int k = 0; k < 10; k++)
        result[k] = 0;
    result[4] = result[6] = ~T(0);
    result[9] = 1;
    *head = ~T(0);
}

void atomic_ops(const std::uint32_t *words, const std::uint64_t *longs, std::size_t n,
                std::uint32_t limit, std::uint32_t *result32, std::uint64_t *result64,
                std::uint32_t *head32, std::uint64_t *head64, std::uint32_t *next32,
                std::uint64_t *next64)
{
    opsStart<uint32_t><<<1, 1>>>(result32, head32);
    opsStart<ull><<<1, 1>>>((ull *)result64, (ull *)head64);
    if (n == 0)
        return;
    int blocks = ceil_div(n, OPS_CHUNK);
    opsKernel<uint32_t><<<blocks, OPS_THREADS>>>(words, n, limit, result32, head32, next32);
    opsKernel<ull><<<blocks, OPS_THREADS>>>(longs, n, (ull)limit, (ull *)result64, (ull *)head64,
                                            next64);
}
