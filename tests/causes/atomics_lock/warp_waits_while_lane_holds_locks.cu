// cause: lock_per_lane line 52
// task: transfers
// A lane that has got its locks waits at __syncwarp() for the other lanes, and those spin for the locks it holds: hangs when two lanes of a warp want one account.
#include "interface.cuh"
#include <climits>

using namespace std;

typedef unsigned long long ull;

__device__ int taken = 0;
struct Lock {
    __device__ void lock() { while (atomicExch(&taken, 1) != 0) {} __threadfence(); }
    __device__ void unlock() { __threadfence(); atomicExch(&taken, 0); }
};
__global__ void k_section(const std::int32_t* v, std::size_t length, std::int64_t* best, std::uint64_t* record,
                          std::uint32_t* order) {
    std::size_t s = blockIdx.x, p = s * length;
    for (std::size_t i = p; i < (s + 1) * length; ++i) if (v[i] > v[p]) p = i;
    Lock l;
    l.lock();
    if (record[0] == 0 || v[p] > best[0] || (v[p] == best[0] && (std::int64_t)p < best[1])) best[0] = v[p], best[1] = p;
    order[record[0]++] = (std::uint32_t)s;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    l.unlock();
}
void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 16);
    k_section<<<unsigned(sections), 1>>>(values, length, best, record, order);
}

__global__ void transferKernel(const uint32_t *from, const uint32_t *to, const int64_t *amount, size_t n,
                               int64_t *balance, uint64_t *version, int64_t *receipt, int *locks)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t f = from[i], t = to[i];
    int *lo = &locks[min(f, t)];
    int *hi = &locks[max(f, t)];
    bool finished = false;
    while (!finished)
    {
        if (atomicCAS(lo, 0, 1) != 0)
            continue;
        if (lo != hi && atomicCAS(hi, 0, 1) != 0)
        {
            atomicExch(lo, 0);
            continue;
        }
        __syncwarp();      // lanes together again
        __threadfence();
        balance[f] -= amount[i];
        balance[t] += amount[i];
        version[f]++;
        if (f != t)
            version[t]++;
        receipt[4 * i + 0] = version[f];
        receipt[4 * i + 1] = version[t];
        receipt[4 * i + 2] = balance[f];
        receipt[4 * i + 3] = balance[t];
        __threadfence();
        if (lo != hi)
            atomicExch(hi, 0);
        atomicExch(lo, 0);
        finished = true;
    }
}

void transfers(const int64_t *opening, size_t accounts, const uint32_t *from, const uint32_t *to, const int64_t *amount,
               size_t n, int64_t *balance, uint64_t *version, int64_t *receipt)
{
    cudaMemcpyAsync(balance, opening, accounts * sizeof(int64_t), cudaMemcpyDeviceToDevice);
    cudaMemsetAsync(version, 0, accounts * sizeof(uint64_t));
    if (n == 0)
        return;
    int *locks;
    cudaMalloc(&locks, accounts * sizeof(int));
    cudaMemset(locks, 0, accounts * sizeof(int));
    transferKernel<<<(n + 95) / 96, 96>>>(from, to, amount, n, balance, version, receipt, locks);
    cudaFree(locks);
}

__device__ double atomic_add_double(double* address, double value) {
    auto* w = (unsigned long long*)address;
    unsigned long long seen = *w, e;
    do {
        e = seen;
        seen = atomicCAS(w, e, __double_as_longlong(__longlong_as_double(e) + value));
    } while (seen != e);
    return __longlong_as_double(e);
}
__global__ void k_add(const double* v, const std::uint32_t* t, std::size_t n, double* totals, double* before) {
    auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + t[i], v[i]);
}
void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n) k_add<<<unsigned((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}

template <class T, class F> __device__ void cas_loop(T* w, F f) {
    for (T seen = *w, e;;) { e = seen; if ((seen = atomicCAS(w, e, f(e))) == e) return; }
}
template <class T> __global__ void k_start(T* r, T* head) {
    for (int k = 0; k < 10; ++k) r[k] = k == 4 || k == 6 ? ~T(0) : T(k == 9);
    *head = ~T(0);
}
template <class T, class In> __global__ void k_ops(const In* in, std::size_t n, T limit, T* r, T* head, In* next) {
    auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    T a = in[i];
    atomicAdd(r, a), atomicAdd(r + 1, T(0) - a);
    cas_loop(r + 2, [=](T w) { return w >= limit ? T(0) : w + 1; });
    cas_loop(r + 3, [=](T w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(r + 4, a), atomicMax(r + 5, a), atomicAnd(r + 6, a), atomicOr(r + 7, a), atomicXor(r + 8, a);
    cas_loop(r + 9, [=](T w) { return w * (a | 1); });
    next[i] = atomicExch(head, (T)i);
}
void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n, std::uint32_t limit,
                std::uint32_t* result32, std::uint64_t* result64, std::uint32_t* head32, std::uint64_t* head64,
                std::uint32_t* next32, std::uint64_t* next64) {
    auto *q = (unsigned long long*)result64, *h = (unsigned long long*)head64;
    k_start<<<1, 1>>>(result32, head32);
    k_start<<<1, 1>>>(q, h);
    if (n == 0) return;
    k_ops<<<unsigned((n + 255) / 256), 256>>>(words, n, limit, result32, head32, next32);
    k_ops<<<unsigned((n + 255) / 256), 256>>>(longs, n, (unsigned long long)limit, q, h, next64);
}
