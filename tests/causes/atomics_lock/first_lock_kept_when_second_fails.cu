// cause: lock_not_released line 68
// task: transfers
// When the second lock is taken by somebody else, the first one is not given back before the next try: the thread then waits for itself, and all others for it.
#include "interface.cuh"

using u64 = unsigned long long;

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

struct Account {
    int* mutex;
    std::int64_t* balance;
    std::uint64_t* version;
    __device__ bool take(std::uint32_t a) const { return atomicCAS(mutex + a, 0, 1) == 0; }
    __device__ void give(std::uint32_t a) const { atomicExch(mutex + a, 0); }
    __device__ void change(std::uint32_t a, std::int64_t by) const { balance[a] += by; }
};

__global__ void transfer_kernel(const std::uint32_t* from, const std::uint32_t* to,
                                const std::int64_t* amount, std::size_t n, Account acc,
                                std::int64_t* receipt) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i], lo = f < t ? f : t, hi = f < t ? t : f;
    for (;;) {
        if (!acc.take(lo)) continue;
        if (lo == hi || acc.take(hi)) {
            __threadfence();
            acc.change(f, -amount[i]);
            acc.change(t, amount[i]);
            ++acc.version[f];
            if (f != t) ++acc.version[t];
            receipt[4 * i + 0] = acc.version[f];
            receipt[4 * i + 1] = acc.version[t];
            receipt[4 * i + 2] = acc.balance[f];
            receipt[4 * i + 3] = acc.balance[t];
            __threadfence();
            if (hi != lo) acc.give(hi);
            acc.give(lo);
            break;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * 8, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * 8);
    if (n == 0) return;
    int* mutex = nullptr;
    cudaMalloc(&mutex, accounts * sizeof(int));
    cudaMemset(mutex, 0, accounts * sizeof(int));
    transfer_kernel<<<unsigned((n + 191) / 192), 192>>>(from, to, amount, n,
                                                        Account{mutex, balance, version}, receipt);
    cudaFree(mutex);
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
