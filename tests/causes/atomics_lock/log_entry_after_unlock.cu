// cause: lock_not_held line 96
// task: critical_section
// The entry of the log is written after the lock was given back and looks up its slot in the record, which another block may have advanced by then.
#include "interface.cuh"
#include <climits>

using namespace std;

typedef unsigned long long ull;

__device__ double atomic_add_double(double *address, double value)
{
    ull *p = (ull *)address;
    ull cur = atomicAdd(p, 0ULL);
    while (true)
    {
        double sum = __longlong_as_double(cur) + value;
        ull got = atomicCAS(p, cur, (ull)__double_as_longlong(sum));
        if (got == cur)
            return __longlong_as_double(cur);
        cur = got;
    }
}

__global__ void addKernel(const double *values, const uint32_t *targets, size_t n, double *totals, double *before)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

void add_double(const double *values, const uint32_t *targets, size_t n, double *totals, size_t m, double *before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    addKernel<<<128, 128>>>(values, targets, n, totals, before);
}

__global__ void k_transfer(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
                           std::int64_t* bal, std::uint64_t* ver, std::int64_t* receipt, int* mtx) {
    auto i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    auto f = from[i], t = to[i], lo = min(f, t), hi = max(f, t);
    for (bool done = false; !done;) {
        if (atomicCAS(mtx + lo, 0, 1) != 0) continue;
        if (lo == hi || atomicCAS(mtx + hi, 0, 1) == 0) {
            __threadfence();
            bal[f] -= amount[i], bal[t] += amount[i], ver[f]++;
            if (t != f) ver[t]++;
            receipt[4 * i] = ver[f], receipt[4 * i + 1] = ver[t], receipt[4 * i + 2] = bal[f], receipt[4 * i + 3] = bal[t];
            __threadfence();
            if (lo != hi) atomicExch(mtx + hi, 0);
            done = true;
        }
        atomicExch(mtx + lo, 0);
    }
}
void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt) {
    int* mtx;
    cudaMalloc(&mtx, accounts * sizeof *mtx);
    cudaMemset(mtx, 0, accounts * sizeof *mtx);
    cudaMemcpy(balance, opening, accounts * 8, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * 8);
    if (n) k_transfer<<<unsigned((n + 255) / 256), 256>>>(from, to, amount, n, balance, version, receipt, mtx);
    cudaFree(mtx);
}

__device__ int mutex = 0;

struct Lock
{
    __device__ void lock() { while (atomicCAS(&mutex, 0, 1)); __threadfence(); }
    __device__ void unlock() { __threadfence(); atomicExch(&mutex, 0); }
};

__global__ void sectionKernel(const int32_t *values, size_t length, int64_t *best, uint64_t *record, uint32_t *order)
{
    if (threadIdx.x != 0) return;
    size_t begin = blockIdx.x * length, end = begin + length;
    size_t where = begin;
    for (size_t i = begin; i < end; i++)
        if (values[i] > values[where]) where = i;

    // keep the critical section short
    Lock l;
    l.lock();
    if (record[0] == 0 || values[where] > best[0] || (values[where] == best[0] && (int64_t)where < best[1]))
    {
        best[0] = values[where];
        best[1] = where;
    }
    record[0]++;
    record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1ULL);
    l.unlock();
    order[record[0] - 1] = blockIdx.x;
}

void critical_section(const int32_t *values, size_t sections, size_t length, int64_t *best, uint64_t *record, uint32_t *order)
{
    cudaMemset(record, 0, 2 * sizeof(uint64_t));
    sectionKernel<<<sections, 32>>>(values, length, best, record, order);
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
