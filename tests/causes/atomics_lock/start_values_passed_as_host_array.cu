// cause: host_pointer_in_kernel line 51
// task: atomic_ops
// The start values lie in an array of the host, and its address is passed to a kernel that reads it: illegal address, for all inputs.
#include "interface.cuh"
#include <climits>

using namespace std;

typedef unsigned long long ull;

__global__ void setWords(const uint32_t *start, uint32_t *result)
{
    result[threadIdx.x] = start[threadIdx.x];
}

__device__ ull inc64(ull w, ull limit) { return w >= limit ? 0 : w + 1; }
__device__ ull dec64(ull w, ull limit) { return w == 0 || w > limit ? limit : w - 1; }

__global__ void ops32(const uint32_t *words, size_t n, uint32_t limit, uint32_t *r, uint32_t *head, uint32_t *next)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    {
        uint32_t a = words[i], old, seen;
        atomicAdd(&r[0], a); atomicSub(&r[1], a); atomicInc(&r[2], limit); atomicDec(&r[3], limit);
        atomicMin(&r[4], a); atomicMax(&r[5], a); atomicAnd(&r[6], a); atomicOr(&r[7], a); atomicXor(&r[8], a);
        for (seen = r[9], old = ~seen; seen != old;) { old = seen; seen = atomicCAS(&r[9], old, old * (a | 1)); }
        next[i] = atomicExch(head, (uint32_t)i);
    }
}

__global__ void ops64(const ull *longs, size_t n, ull limit, ull *r, ull *head, ull *next)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    {
        ull b = longs[i], old, seen;
        ull odd = b | 1;
        atomicAdd(&r[0], b); atomicAdd(&r[1], (ull)-(long long)b);
        for (seen = r[2], old = ~seen; seen != old;) { old = seen; seen = atomicCAS(&r[2], old, inc64(old, limit)); }
        for (seen = r[3], old = ~seen; seen != old;) { old = seen; seen = atomicCAS(&r[3], old, dec64(old, limit)); }
        atomicMin(&r[4], b); atomicMax(&r[5], b); atomicAnd(&r[6], b); atomicOr(&r[7], b); atomicXor(&r[8], b);
        for (seen = r[9], old = ~seen; seen != old;) { old = seen; seen = atomicCAS(&r[9], old, old * odd); }
        next[i] = atomicExch(head, (ull)i);
    }
}

void atomic_ops(const uint32_t *words, const uint64_t *longs, size_t n, uint32_t limit, uint32_t *result32,
                uint64_t *result64, uint32_t *head32, uint64_t *head64, uint32_t *next32, uint64_t *next64)
{
    const uint32_t start32[10] = {0, 0, 0, 0, 0xffffffffu, 0, 0xffffffffu, 0, 0, 1};
    const uint64_t start64[10] = {0, 0, 0, 0, ~0ULL, 0, ~0ULL, 0, 0, 1};
    setWords<<<1, 10>>>(start32, result32);
    cudaMemcpy(result64, start64, sizeof(start64), cudaMemcpyHostToDevice);
    cudaMemset(head32, 0xff, sizeof(uint32_t));
    cudaMemset(head64, 0xff, sizeof(uint64_t));
    ops32<<<64, 128>>>(words, n, limit, result32, head32, next32);
    ops64<<<64, 128>>>((const ull *)longs, n, limit, (ull *)result64, (ull *)head64, (ull *)next64);
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
