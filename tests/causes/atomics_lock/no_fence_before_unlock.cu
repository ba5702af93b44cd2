// cause: missing_fence line 34
// task: critical_section
// The lock is freed without a fence between the record and the lock: the next holder may see the lock free and still read the old record (only on real hardware, rarely).
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

// ---- task 2
class Lock {
  public:
    explicit Lock(unsigned* word) : word_(word) {}
    __device__ void lock() {
        while (atomicCAS(word_, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        atomicExch(word_, 0u);
    }

  private:
    unsigned* word_;
};

__global__ void section_kernel(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order, Lock lock) {
    const std::size_t s = blockIdx.x;
    std::int64_t v = values[s * length], p = s * length;
    for (std::size_t i = 1; i < length; ++i) {
        if (values[s * length + i] > v) {
            v = values[s * length + i];
            p = s * length + i;
        }
    }
    lock.lock();
    const bool first = record[0] == 0;
    if (first || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[record[0]++] = static_cast<std::uint32_t>(s);
    record[1] = record[1] * checksum_multiplier + (s + 1);
    lock.unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    unsigned* word;
    cudaMalloc(&word, sizeof *word);
    cudaMemset(word, 0, sizeof *word);
    cudaMemset(record, 0, 2 * sizeof *record);
    section_kernel<<<static_cast<unsigned>(sections), 1>>>(values, length, best, record, order,
                                                           Lock(word));
    cudaFree(word);
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
