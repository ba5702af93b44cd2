// cause: lock_not_held line 206
// task: transfers
// The versions and balances of the receipt are read when both accounts have been given back: shows when others change them in between.
// Atomics and locks. Author's note: all scratch memory lives in Scratch and grows when needed.
#include "interface.cuh"

#include <cstdint>

typedef std::uint32_t u32;
typedef unsigned long long u64;

template <typename T>
struct Scratch {
    T* data = nullptr;
    size_t size = 0;
    T* get(size_t count) {
        if (count > size) {
            if (data) cudaFree(data);
            cudaMalloc((void**)&data, count * sizeof(T));
            size = count;
        }
        return data;
    }
};

// ===================================================================================== task 1

__device__ double atomic_add_double(double* address, double value) {
    u64* word = reinterpret_cast<u64*>(address);
    u64 assumed = *reinterpret_cast<volatile u64*>(word);
    for (;;) {
        const double next = __longlong_as_double((long long)assumed) + value;
        const u64 found = atomicCAS(word, assumed, (u64)__double_as_longlong(next));
        if (found == assumed) return __longlong_as_double((long long)found);
        assumed = found;
    }
}

#define FEW 256

__global__ void addTiles(const double* values, const u32* targets, size_t n, double* totals, u32 m,
                         double* before) {
    __shared__ double sum[FEW];
    __shared__ double start[FEW];
    for (size_t tile = (size_t)blockIdx.x * blockDim.x; tile < n;
         tile += (size_t)gridDim.x * blockDim.x) {
        const size_t i = tile + threadIdx.x;
        if (threadIdx.x < m) sum[threadIdx.x] = 0.0;
        __syncthreads();
        u32 target = 0;
        double mine = 0.0;
        if (i < n) {
            target = targets[i];
            mine = atomic_add_double(sum + target, values[i]);
        }
        __syncthreads();
        if (threadIdx.x < m) {
            const double all = sum[threadIdx.x];
            if (all != 0.0) start[threadIdx.x] = atomic_add_double(totals + threadIdx.x, all);
        }
        __syncthreads();
        if (i < n) before[i] = start[target] + mine;
    }
}

__global__ void addMany(const double* values, const u32* targets, size_t n, double* totals,
                        double* before) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, sizeof(double) * m);
    const size_t wanted = (n + FEW - 1) / FEW;
    const unsigned blocks = wanted < 1024 ? (unsigned)wanted : 1024;
    if (blocks == 0) return;
    if (m <= FEW)
        addTiles<<<blocks, FEW>>>(values, targets, n, totals, (u32)m, before);
    else
        addMany<<<blocks, FEW>>>(values, targets, n, totals, before);
}

// ===================================================================================== task 2

struct TicketLock {
    unsigned next, serving;
    __device__ void lock() {
        const unsigned ticket = atomicAdd(&next, 1u);
        while (*(volatile unsigned*)&serving != ticket) __nanosleep(50);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

__device__ TicketLock ticketLock;

__global__ void enter(const int* values, size_t length, volatile std::int64_t* best,
                      volatile std::uint64_t* record, volatile u32* order) {
    __shared__ int warpValue[8];
    __shared__ size_t warpPlace[8];
    const size_t begin = blockIdx.x * length, end = begin + length;
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;

    // A thread without an element of its own looks at the section's first, which does no harm.
    int value = values[begin];
    size_t place = begin;
    for (size_t k = begin + threadIdx.x; k < end; k += blockDim.x) {
        if (values[k] > value) {
            value = values[k];
            place = k;
        }
    }
    for (int level = 0; level < 2; ++level) {
        for (int d = 16; d >= 1; d >>= 1) {
            const int v = __shfl_xor_sync(0xffffffffu, value, d);
            const size_t p = __shfl_xor_sync(0xffffffffu, place, d);
            if (v > value || (v == value && p < place)) {
                value = v;
                place = p;
            }
        }
        if (level == 1) break;
        if (lane == 0) {
            warpValue[warp] = value;
            warpPlace[warp] = place;
        }
        __syncthreads();
        value = warpValue[lane & 7u];
        place = warpPlace[lane & 7u];
    }

    if (threadIdx.x == 0) {
        const u32 s = blockIdx.x;
        ticketLock.lock();
        const std::uint64_t entry = record[0];
        if (entry == 0 || value > best[0] ||
            (value == best[0] && (std::int64_t)place < best[1])) {
            best[0] = value;
            best[1] = (std::int64_t)place;
        }
        order[entry] = s;
        record[0] = entry + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1ull);
        ticketLock.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(*record));
    enter<<<(unsigned)sections, 256>>>(values, length, best, record, order);
}

// ===================================================================================== task 3

struct Bank {
    volatile std::int64_t* balance;
    volatile std::uint64_t* version;
    int* lock;

    __device__ bool take(u32 a) const { return atomicCAS(lock + a, 0, 1) == 0; }
    __device__ void give(u32 a) const { atomicExch(lock + a, 0); }

    __device__ void move(u32 from, u32 to, std::int64_t amount) const {
        balance[from] = balance[from] - amount;
        balance[to] = balance[to] + amount;
        version[from] = version[from] + 1;
        if (from != to) version[to] = version[to] + 1;
    }

    __device__ void print(u32 from, u32 to, std::int64_t* receipt) const {
        receipt[0] = (std::int64_t)version[from];
        receipt[1] = (std::int64_t)version[to];
        receipt[2] = balance[from];
        receipt[3] = balance[to];
    }
};

__global__ void transferAll(Bank bank, const u32* from, const u32* to, const std::int64_t* amount,
                            size_t n, std::int64_t* receipt) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 f = from[i], t = to[i];
    const u32 lower = min(f, t), upper = max(f, t);
    const std::int64_t money = amount[i];

    bool waiting = true;
    do {
        if (bank.take(lower)) {
            const bool both = upper == lower || bank.take(upper);
            if (both) {
                __threadfence();
                bank.move(f, t, money);
                __threadfence();
                if (upper != lower) bank.give(upper);
                waiting = false;
            }
            bank.give(lower);
        }
    } while (waiting);
    bank.print(f, t, receipt + 4 * i);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static Scratch<int> locks;
    const Bank bank = {balance, version, locks.get(accounts)};
    cudaMemset(bank.lock, 0, accounts * sizeof(int));
    cudaMemset(version, 0, accounts * sizeof(*version));
    cudaMemcpy(balance, opening, accounts * sizeof(*opening), cudaMemcpyDeviceToDevice);
    if (n == 0) return;
    transferAll<<<(unsigned)((n + 127) / 128), 128>>>(bank, from, to, amount, n, receipt);
}

// ===================================================================================== task 4

template <typename T>
__device__ void atomicMultiply(T* word, T factor) {
    T expected = *(volatile T*)word;
    T found = atomicCAS(word, expected, expected * factor);
    while (found != expected) {
        expected = found;
        found = atomicCAS(word, expected, expected * factor);
    }
}

/// The results of the operations that can be combined in any order.
template <typename T>
struct Results {
    T add, low, high, all, any, odd, product;

    __device__ void clear() {
        add = high = any = odd = 0;
        low = all = ~(T)0;
        product = 1;
    }
    __device__ void take(T a) {
        add += a;
        low = a < low ? a : low;
        high = a > high ? a : high;
        all &= a;
        any |= a;
        odd ^= a;
        product *= a | 1;
    }
    __device__ void merge(const Results& o) {
        atomicAdd(&add, o.add);
        atomicMin(&low, o.low);
        atomicMax(&high, o.high);
        atomicAnd(&all, o.all);
        atomicOr(&any, o.any);
        atomicXor(&odd, o.odd);
        atomicMultiply(&product, o.product);
    }
    __device__ void publish(T* result) const {
        atomicAdd(result + 0, add);
        atomicAdd(result + 1, (T)0 - add);
        atomicMin(result + 4, low);
        atomicMax(result + 5, high);
        atomicAnd(result + 6, all);
        atomicOr(result + 7, any);
        atomicXor(result + 8, odd);
        atomicMultiply(result + 9, product);
    }
};

template <typename T>
__global__ void startOps(T* result, T* head, u64 n, u64 limit) {
    const int k = threadIdx.x;
    const u64 turns = n % (limit + 1);  // inc and dec come round after limit + 1 times
    T start = 0;
    if (k == 2) start = (T)turns;
    if (k == 3) start = (T)(turns ? limit + 1 - turns : 0);
    if (k == 4 || k == 6) start = ~(T)0;
    if (k == 9) start = 1;
    result[k] = start;
    if (k == 0) *head = ~(T)0;
}

template <typename T>
__global__ void runOps(const T* in, size_t n, T* result, T* head, T* next) {
    __shared__ Results<T> block;
    if (threadIdx.x == 0) block.clear();
    __syncthreads();
    Results<T> own;
    own.clear();
    for (size_t tile = (size_t)blockIdx.x * blockDim.x; tile < n;
         tile += (size_t)gridDim.x * blockDim.x) {
        const size_t i = tile + threadIdx.x;
        if (i >= n) break;
        own.take(in[i]);
        if (i != tile)
            next[i] = (T)(i - 1);
        else
            next[i] = atomicExch(head, (T)(min(tile + blockDim.x, n) - 1));
    }
    block.merge(own);
    __syncthreads();
    if (threadIdx.x == 0) block.publish(result);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    startOps<u32><<<1, 10>>>(result32, head32, n, limit);
    startOps<u64><<<1, 10>>>((u64*)result64, (u64*)head64, n, limit);
    if (n == 0) return;
    const size_t wanted = (n + 1023) / 1024;
    const unsigned blocks = wanted < 64 ? (unsigned)wanted : 64;
    runOps<u32><<<blocks, 256>>>(words, n, result32, head32, next32);
    runOps<u64><<<blocks, 256>>>((const u64*)longs, n, (u64*)result64, (u64*)head64, (u64*)next64);
}
