// cause: sign_lost line 22
// task: critical_section
// The block's maximum is found with atomicMax on an unsigned key whose upper half is the signed value, so negative values count as the largest.
#include "interface.cuh"

struct Lock {
    unsigned int word;
    __device__ void lock() {
        while (atomicCAS(&word, 0u, 1u) != 0u) __nanosleep(100);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&word, 0u);
    }
};

__device__ Lock guard;

__device__ unsigned long long make_key(int value, unsigned int index)
{
    unsigned int high = (unsigned int)value;
    return ((unsigned long long)high << 32) | (0xffffffffu - index);
}

__global__ void enter(const std::int32_t* values, size_t length, std::int64_t* best, std::uint64_t* record,
                      std::uint32_t* order)
{
    __shared__ unsigned long long top;
    if (threadIdx.x == 0) top = 0;
    __syncthreads();

    const std::int32_t* row = values + blockIdx.x * length;
    unsigned long long mine = 0;
    for (unsigned int j = threadIdx.x; j < length; j += blockDim.x) {
        unsigned long long key = make_key(row[j], j);
        if (key > mine) mine = key;
    }
    atomicMax(&top, mine);
    __syncthreads();

    if (threadIdx.x == 0) {
        unsigned int j = 0xffffffffu - (unsigned int)(top & 0xffffffffu);
        std::int64_t v = row[j];
        std::int64_t p = (std::int64_t)(blockIdx.x * length + j);
        volatile std::int64_t* b = best;
        volatile std::uint64_t* r = record;
        volatile std::uint32_t* log = order;

        guard.lock();
        std::uint64_t count = r[0];
        if (count == 0 || v > b[0] || (v == b[0] && p < b[1])) {
            b[0] = v;
            b[1] = p;
        }
        log[count] = blockIdx.x;
        r[0] = count + 1;
        r[1] = r[1] * checksum_multiplier + (blockIdx.x + 1);
        guard.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order)
{
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter<<<(unsigned int)sections, 128>>>(values, length, best, record, order);
}
