// cause: lock_not_initialised line 64
// task: critical_section
// Only the first word of the ticket lock is set to 0; which number is served remains whatever was in the memory,
// and nobody's turn may ever come.
#include "interface.cuh"

// takes numbers like at the baker's
struct Lock {
    unsigned next_number;
    unsigned now_serving;

    __device__ void lock() {
        unsigned my = atomicAdd(&next_number, 1u);
        while (atomicAdd(&now_serving, 0u) != my) __nanosleep(50);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicAdd(&now_serving, 1u);
    }
};

struct Max {
    long long value, place;
    __device__ bool beats(const Max& o) const {
        return value > o.value || (value == o.value && place < o.place);
    }
};

__global__ void kernel(const int* values, size_t sections, size_t length, Lock* lock,
                       long long* best, unsigned long long* record, unsigned* order) {
    __shared__ Max found[64];
    for (size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        Max m = {-(1ll << 40), 1ll << 60};
        for (size_t j = threadIdx.x; j < length; j += 64) {
            Max c = {values[s * length + j], (long long)(s * length + j)};
            if (c.beats(m)) m = c;
        }
        found[threadIdx.x] = m;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int k = 1; k < 64; ++k)
                if (found[k].beats(m)) m = found[k];
            lock->lock();
            unsigned long long r = __ldcg(&record[0]);
            Max old = {__ldcg(&best[0]), __ldcg(&best[1])};
            if (r == 0 || m.beats(old)) {
                best[0] = m.value;
                best[1] = m.place;
            }
            order[r] = (unsigned)s;
            record[0] = r + 1;
            record[1] = __ldcg(&record[1]) * checksum_multiplier + (s + 1);
            lock->unlock();
        }
        __syncthreads();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    Lock* lock;
    cudaMalloc(&lock, sizeof(Lock));
    cudaMemset(lock, 0, sizeof(unsigned));
    cudaMemset(record, 0, 16);
    cudaMemset(best, 0, 16);
    unsigned blocks = sections < 512 ? (unsigned)sections : 512u;
    kernel<<<blocks, 64>>>(values, sections, length, lock, (long long*)best,
                           (unsigned long long*)record, order);
    cudaFree(lock);
}
