// cause: lock_not_held line 57
// task: critical_section
// Whether a section beats the record is decided before the lock is taken; when another section enters in between, a smaller value replaces a larger one.
#include "interface.cuh"

struct Lock {
    int* state;  // 0: free, 1: taken

    __device__ void lock() {
        while (atomicCAS(state, 0, 1) != 0) {
            __nanosleep(100);
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(state, 0);
    }
};

struct Entry {
    long long value;
    long long place;
};

__device__ bool before(const Entry& a, const Entry& b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__global__ void sections_kernel(const std::int32_t* values, std::size_t length,
                                volatile std::int64_t* best, volatile std::uint64_t* record,
                                volatile std::uint32_t* order, int* state) {
    __shared__ Entry entries[128];
    const std::size_t start = blockIdx.x * length;

    // 1. every thread looks at its share of the section
    Entry mine{-2147483648ll - 1, 0};
    for (std::size_t k = threadIdx.x; k < length; k += blockDim.x) {
        const Entry e{values[start + k], (long long)(start + k)};
        if (before(e, mine)) mine = e;
    }
    entries[threadIdx.x] = mine;
    __syncthreads();

    // 2. a tree finds the largest
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && before(entries[threadIdx.x + half], entries[threadIdx.x])) {
            entries[threadIdx.x] = entries[threadIdx.x + half];
        }
        __syncthreads();
    }

    // 3. one thread enters it, and stays inside as short as possible
    if (threadIdx.x == 0) {
        const Entry top = entries[0];
        Lock guard{state};
        const bool better = record[0] == 0 || before(top, Entry{best[0], best[1]});
        guard.lock();
        if (better) {
            best[0] = top.value;
            best[1] = top.place;
        }
        order[record[0]] = blockIdx.x;
        record[0] = record[0] + 1;
        record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
        guard.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static int* state = nullptr;
    if (state == nullptr) cudaMalloc(&state, sizeof(int));
    cudaMemset(state, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    sections_kernel<<<(unsigned)sections, 128>>>(values, length, best, record, order, state);
}
