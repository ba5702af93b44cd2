// cause: stream_not_waited_for line 90
// task: atomic_ops
// The start values are written in the default stream, and the operations run in non-blocking streams that do not wait for it: they may run before or during the initialisation.
#include "interface.cuh"

using u64 = unsigned long long;

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

// word = f(word), for whatever has no instruction of its own
template <class T, class F>
__device__ void update(T* word, F f) {
    T old, seen = *word;
    do {
        old = seen;
        seen = atomicCAS(word, old, f(old));
    } while (seen != old);
}

template <class T>
__global__ void start(T* r, T* head) {
    const unsigned k = threadIdx.x;
    r[k] = k == 4 || k == 6 ? ~T{0} : T{k == 9};
    if (k == 0) *head = ~T{0};
}

template <class T>
__global__ void ops(const T* in, std::size_t n, T limit, T* r, T* head, T* next) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T a = in[i];
    atomicAdd(r + 0, a);
    atomicAdd(r + 1, T{0} - a);
    update(r + 2, [=](T w) { return w >= limit ? T{0} : w + 1; });
    update(r + 3, [=](T w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(r + 4, a);
    atomicMax(r + 5, a);
    atomicAnd(r + 6, a);
    atomicOr(r + 7, a);
    atomicXor(r + 8, a);
    update(r + 9, [=](T w) { return w * (a | 1); });
    next[i] = atomicExch(head, static_cast<T>(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    u64 *r64 = (u64*)result64, *h64 = (u64*)head64;
    start<std::uint32_t><<<1, 10>>>(result32, head32);
    start<u64><<<1, 10>>>(r64, h64);
    if (n == 0) return;
    // 32 and 64 bits do not need each other: side by side
    cudaStream_t narrow, wide;
    cudaStreamCreateWithFlags(&narrow, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&wide, cudaStreamNonBlocking);
    const unsigned blocks = unsigned((n + 255) / 256);
    ops<std::uint32_t><<<blocks, 256, 0, narrow>>>(words, n, limit, result32, head32, next32);
    ops<u64><<<blocks, 256, 0, wide>>>((const u64*)longs, n, limit, r64, h64, (u64*)next64);
    cudaStreamSynchronize(narrow);
    cudaStreamSynchronize(wide);
    cudaStreamDestroy(narrow);
    cudaStreamDestroy(wide);
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
