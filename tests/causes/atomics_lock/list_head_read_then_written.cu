// cause: missing_atomic line 117
// task: atomic_ops
// The head of the 32-bit list is read and then written with two plain accesses: two threads may see the same head, and one of them drops out of the list.
#include "interface.cuh"

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

// ---- task 4
__global__ void ops_start(std::uint32_t* r, unsigned long long* q, std::uint32_t* head32,
                          unsigned long long* head64) {
    for (int k = 0; k < 10; ++k) {
        r[k] = (k == 4 || k == 6) ? 0xffffffffu : (k == 9 ? 1u : 0u);
        q[k] = (k == 4 || k == 6) ? ~0ull : (k == 9 ? 1ull : 0ull);
    }
    *head32 = 0xffffffffu;
    *head64 = ~0ull;
}

__global__ void ops_kernel(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                           std::uint32_t limit, std::uint32_t* r, unsigned long long* q,
                           std::uint32_t* head32, unsigned long long* head64,
                           std::uint32_t* next32, std::uint64_t* next64) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t a = words[i];
    const unsigned long long b = longs[i];
    atomicAdd(r + 0, a);       atomicAdd(q + 0, b);
    atomicSub(r + 1, a);       atomicAdd(q + 1, 0ull - b);
    atomicInc(r + 2, limit);   atomicDec(r + 3, limit);
    atomicMin(r + 4, a);       atomicMin(q + 4, b);
    atomicMax(r + 5, a);       atomicMax(q + 5, b);
    atomicAnd(r + 6, a);       atomicAnd(q + 6, b);
    atomicOr(r + 7, a);        atomicOr(q + 7, b);
    atomicXor(r + 8, a);       atomicXor(q + 8, b);
    // no instruction for these: compare and swap
    std::uint32_t w, s = r[9];
    do { w = s; s = atomicCAS(r + 9, w, w * (a | 1u)); } while (s != w);
    unsigned long long x, y = q[9];
    do { x = y; y = atomicCAS(q + 9, x, x * (b | 1ull)); } while (y != x);
    y = q[2];
    do { x = y; y = atomicCAS(q + 2, x, x >= limit ? 0ull : x + 1); } while (y != x);
    y = q[3];
    do {
        x = y;
        y = atomicCAS(q + 3, x, (x == 0 || x > limit) ? static_cast<unsigned long long>(limit) : x - 1);
    } while (y != x);
    next32[i] = *head32;
    *head32 = static_cast<std::uint32_t>(i);
    next64[i] = atomicExch(head64, static_cast<unsigned long long>(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    auto* q = reinterpret_cast<unsigned long long*>(result64);
    auto* h = reinterpret_cast<unsigned long long*>(head64);
    ops_start<<<1, 1>>>(result32, q, head32, h);
    if (n == 0) return;
    ops_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(words, longs, n, limit, result32, q,
                                                                head32, h, next32, next64);
}
