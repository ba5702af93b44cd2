// cause: no_retry line 187
// task: atomic_ops
// The product is computed once before the compare-and-swap loop, so a retry after a failed swap writes a product with an old value and loses other factors; shows as soon as two threads meet.
#include "interface.cuh"

using u32 = std::uint32_t;
using u64 = unsigned long long;

// Task 1 -----------------------------------------------------------------------------------------

__device__ u64 to_bits(double d) { return static_cast<u64>(__double_as_longlong(d)); }
__device__ double to_double(u64 bits) { return __longlong_as_double(static_cast<long long>(bits)); }

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<u64*>(address);
    u64 old = atomicAdd(word, 0ull), assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, to_bits(to_double(assumed) + value));
    } while (assumed != old);
    return to_double(old);
}

__global__ void add_all(const double* values, const u32* targets, std::size_t n, double* totals,
                        double* before) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof(double));
    if (n == 0) return;
    const std::size_t blocks = (n + 255) / 256;
    add_all<<<blocks < 1056 ? static_cast<int>(blocks) : 1056, 256>>>(values, targets, n, totals,
                                                                      before);
}

// Task 2 -----------------------------------------------------------------------------------------

struct Lock {
    unsigned next;
    unsigned serving;

    __device__ void lock() {
        const unsigned ticket = atomicAdd(&next, 1u);
        while (atomicAdd(&serving, 0u) != ticket) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

// Value in the upper half, so that the larger value wins; below it the complement of the column,
// so that the first of equals wins.
__device__ u64 rank_of(std::int32_t value, u32 column) {
    const u32 upper = static_cast<u32>(value) ^ 0x80000000u;
    const u32 lower = ~column;
    return static_cast<u64>(upper) << 32 | lower;
}

__global__ void enter_sections(const std::int32_t* values, std::size_t length, Lock* lock,
                               std::int64_t* best, std::uint64_t* record, u32* order) {
    __shared__ u64 winner;
    const std::size_t s = blockIdx.x;
    const std::int32_t* row = values + s * length;
    if (threadIdx.x == 0) winner = 0;
    __syncthreads();

    u64 mine = 0;
    for (std::size_t c = threadIdx.x; c < length; c += blockDim.x) {
        const u64 rank = rank_of(row[c], static_cast<u32>(c));
        if (rank > mine) mine = rank;
    }
    atomicMax(&winner, mine);
    __syncthreads();
    if (threadIdx.x != 0) return;

    const u32 column = ~static_cast<u32>(winner);
    const std::int64_t v = row[column];
    const std::int64_t p = static_cast<std::int64_t>(s * length + column);

    volatile std::int64_t* top = best;
    volatile std::uint64_t* rec = record;
    lock->lock();
    const std::uint64_t count = rec[0];
    if (count == 0 || v > top[0] || (v == top[0] && p < top[1])) {
        top[0] = v;
        top[1] = p;
    }
    order[count] = static_cast<u32>(s);
    rec[0] = count + 1;
    rec[1] = rec[1] * checksum_multiplier + (s + 1);
    lock->unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static Lock* lock = nullptr;
    if (!lock) cudaMalloc(&lock, sizeof(Lock));
    cudaMemsetAsync(lock, 0, sizeof(Lock));
    cudaMemsetAsync(record, 0, 2 * sizeof *record);
    enter_sections<<<static_cast<int>(sections), 64>>>(values, length, lock, best, record, order);
}

// Task 3 -----------------------------------------------------------------------------------------

__device__ bool take_both(u32* locks, u32 low, u32 high) {
    if (atomicCAS(&locks[low], 0u, 1u) != 0u) return false;
    if (low != high && atomicCAS(&locks[high], 0u, 1u) != 0u) {
        atomicExch(&locks[low], 0u);
        return false;
    }
    __threadfence();
    return true;
}

__device__ void give_both(u32* locks, u32 low, u32 high) {
    __threadfence();
    if (low != high) atomicExch(&locks[high], 0u);
    atomicExch(&locks[low], 0u);
}

struct Bank {
    volatile std::int64_t* balance;
    volatile std::uint64_t* version;
    std::int64_t* receipt;

    __device__ void book(u32 f, u32 t, std::int64_t amount, std::size_t i) const {
        balance[f] = balance[f] - amount;
        balance[t] = balance[t] + amount;
        version[f] = version[f] + 1;
        if (t != f) version[t] = version[t] + 1;
        receipt[4 * i] = static_cast<std::int64_t>(version[f]);
        receipt[4 * i + 1] = static_cast<std::int64_t>(version[t]);
        receipt[4 * i + 2] = balance[f];
        receipt[4 * i + 3] = balance[t];
    }
};

__global__ void transfer_all(Bank bank, u32* locks, const u32* from, const u32* to,
                             const std::int64_t* amount, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned lanes = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    const u32 f = from[i], t = to[i];
    const std::int64_t a = amount[i];
    const u32 low = min(f, t), high = max(f, t);

    bool held = false;
    do {
        if (!held && (held = take_both(locks, low, high))) {
            bank.book(f, t, a, i);
            give_both(locks, low, high);
        }
    } while (!__all_sync(lanes, held));
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static u32* locks = nullptr;
    static std::size_t room = 0;
    if (room < accounts) {
        if (locks) cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(u32));
        room = accounts;
    }
    cudaMemsetAsync(locks, 0, accounts * sizeof(u32));
    cudaMemsetAsync(version, 0, accounts * sizeof(std::uint64_t));
    cudaMemcpyAsync(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    if (n == 0) return;
    transfer_all<<<static_cast<int>((n + 127) / 128), 128>>>(Bank{balance, version, receipt}, locks,
                                                             from, to, amount, n);
}

// Task 4 -----------------------------------------------------------------------------------------

template <class T>
__device__ void atomic_multiply(T* word, T factor) {
    T old = atomicAdd(word, T{0});
    T assumed;
    const T product = old * factor;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, product);
    } while (old != assumed);
}

template <class T>
__device__ T start_value(int k) {
    if (k == 4 || k == 6) return static_cast<T>(~T{0});
    return k == 9 ? T{1} : T{0};
}

// All but inc and dec, which do not look at the element.
template <class T>
__device__ void apply(T* w, T x) {
    atomicAdd(&w[0], x);
    atomicMin(&w[4], x);
    atomicMax(&w[5], x);
    atomicAnd(&w[6], x);
    atomicOr(&w[7], x);
    atomicXor(&w[8], x);
    atomic_multiply(&w[9], static_cast<T>(x | T{1}));
}

template <class T>
__device__ void merge_word(T* result, const T* w, int k) {
    if (k == 0) atomicAdd(&result[0], w[0]);
    if (k == 1) atomicAdd(&result[1], static_cast<T>(T{0} - w[0]));
    if (k == 4) atomicMin(&result[4], w[4]);
    if (k == 5) atomicMax(&result[5], w[5]);
    if (k == 6) atomicAnd(&result[6], w[6]);
    if (k == 7) atomicOr(&result[7], w[7]);
    if (k == 8) atomicXor(&result[8], w[8]);
    if (k == 9) atomic_multiply(&result[9], w[9]);
}

__global__ void start_ops(std::size_t n, u32 limit, u32* result32, u64* result64, u32* head32,
                          u64* head64) {
    const int k = threadIdx.x;
    if (k >= 10) return;
    u32 v32 = start_value<u32>(k);
    u64 v64 = start_value<u64>(k);
    const u64 period = u64{limit} + 1;
    if (k == 2) v64 = v32 = static_cast<u32>(n % period);
    if (k == 3) v64 = v32 = static_cast<u32>((period - n % period) % period);
    result32[k] = v32;
    result64[k] = v64;
    if (k == 0) {
        *head32 = ~u32{0};
        *head64 = ~u64{0};
    }
}

__global__ void run_ops(const u32* words, const std::uint64_t* longs, std::size_t n, u32* result32,
                        u64* result64, u32* head32, u64* head64, u32* next32,
                        std::uint64_t* next64) {
    __shared__ u32 w32[10];
    __shared__ u64 w64[10];
    const int k = threadIdx.x;
    if (k < 10) {
        w32[k] = start_value<u32>(k);
        w64[k] = start_value<u64>(k);
    }
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + k; i < n; i += step) {
        apply<u32>(w32, words[i]);
        apply<u64>(w64, longs[i]);
        next32[i] = atomicExch(head32, static_cast<u32>(i));
        next64[i] = atomicExch(head64, u64{i});
    }
    __syncthreads();
    if (k < 10) {
        merge_word(result32, w32, k);
        merge_word(result64, w64, k);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    auto* r64 = reinterpret_cast<u64*>(result64);
    auto* h64 = reinterpret_cast<u64*>(head64);
    start_ops<<<1, 32>>>(n, limit, result32, r64, head32, h64);
    if (n == 0) return;
    const std::size_t wanted = (n + 127) / 128;
    run_ops<<<wanted < 128 ? static_cast<int>(wanted) : 128, 128>>>(words, longs, n, result32, r64,
                                                                    head32, h64, next32, next64);
}
