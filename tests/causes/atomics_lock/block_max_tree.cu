// cause: divergent_barrier line 53
// task: critical_section
// The barrier of the tree stands inside of the if, so that only the threads that still add reach it.
#include "interface.cuh"

#define THREADS 128

__device__ int mutex = 0;

__device__ void lock(int* m)
{
    while (atomicCAS(m, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void unlock(int* m)
{
    __threadfence();
    atomicExch(m, 0);
}

__global__ void enter(const int* values, size_t length, volatile int64_t* best,
                      volatile uint64_t* record, volatile uint32_t* order)
{
    __shared__ int maxValue[THREADS];
    __shared__ size_t maxPlace[THREADS];
    int t = threadIdx.x;
    size_t first = blockIdx.x * length;

    // every thread looks at some of the section
    int v = INT32_MIN;
    size_t p = SIZE_MAX;
    for (size_t i = t; i < length; i += THREADS) {
        int x = values[first + i];
        if (x > v || p == SIZE_MAX) {
            v = x;
            p = first + i;
        }
    }
    maxValue[t] = v;
    maxPlace[t] = p;
    __syncthreads();

    // reduction
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s) {
            if (maxValue[t + s] > maxValue[t] ||
                (maxValue[t + s] == maxValue[t] && maxPlace[t + s] < maxPlace[t])) {
                maxValue[t] = maxValue[t + s];
                maxPlace[t] = maxPlace[t + s];
            }
            __syncthreads();
        }
    }

    if (t == 0) {
        int64_t value = maxValue[0];
        int64_t place = maxPlace[0];
        lock(&mutex);
        uint64_t k = record[0];
        if (k == 0 || value > best[0] || (value == best[0] && place < best[1])) {
            best[0] = value;
            best[1] = place;
        }
        order[k] = blockIdx.x;
        record[0] = k + 1;
        record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
        unlock(&mutex);
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order)
{
    cudaMemset(record, 0, 16);
    enter<<<sections, THREADS>>>(values, length, best, record, order);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
