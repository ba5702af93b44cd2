// cause: missing_fence line 18
// task: critical_section
// unlock() orders the record's writes only within the block, so that the next block may find the lock free and the record old.
#include "interface.cuh"

#define THREADS 128

struct Lock {
    int* state;  // 0 = free, 1 = taken

    __device__ void lock() {
        while (atomicCAS(state, 0, 1) != 0) {
        }
        __threadfence();
    }

    __device__ void unlock() {
        __threadfence_block();
        atomicExch(state, 0);
    }
};

// One block per section: search the maximum with all threads, then thread 0 enters it.
__global__ void section_kernel(const std::int32_t* values, std::size_t length, Lock mutex,
                               volatile std::int64_t* best, volatile std::uint64_t* record,
                               std::uint32_t* order) {
    __shared__ std::int32_t val[THREADS];
    __shared__ std::size_t pos[THREADS];

    const std::size_t s = blockIdx.x;
    const int t = threadIdx.x;

    // INT_MIN is fine for idle threads because their place is behind every real one
    std::int32_t v = -2147483647 - 1;
    std::size_t p = (s + 1) * length;
    for (std::size_t k = t; k < length; k += THREADS) {
        std::int32_t x = values[s * length + k];
        if (p == (s + 1) * length || x > v) {
            v = x;
            p = s * length + k;
        }
    }
    val[t] = v;
    pos[t] = p;
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride) {
            if (val[t + stride] > val[t] ||
                (val[t + stride] == val[t] && pos[t + stride] < pos[t])) {
                val[t] = val[t + stride];
                pos[t] = pos[t + stride];
            }
        }
        __syncthreads();
    }

    if (t == 0) {
        const std::int64_t bv = val[0];
        const std::int64_t bp = (std::int64_t)pos[0];
        mutex.lock();
        std::uint64_t entries = record[0];
        if (entries == 0 || bv > best[0] || (bv == best[0] && bp < best[1])) {
            best[0] = bv;
            best[1] = bp;
        }
        order[entries] = (std::uint32_t)s;
        record[0] = entries + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        mutex.unlock();
    }
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static int* state = nullptr;
    if (state == nullptr) cudaMalloc(&state, sizeof(int));
    cudaMemset(state, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));

    Lock mutex;
    mutex.state = state;
    section_kernel<<<(unsigned)sections, THREADS>>>(values, length, mutex, best, record, order);
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {}
