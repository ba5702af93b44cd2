// cause: sign_lost line 11
// task: critical_section
// value and column are packed into one unsigned key, in which negative values come out above the positive ones; shows when a section has values of both signs
#include "interface.cuh"

__device__ unsigned spin = 0;

__device__ unsigned long long key(std::int32_t value, unsigned column)
{
    // larger value first, then the smaller column
    return ((unsigned long long)(unsigned)value << 32) | (0xffffffffu - column);
}

__global__ void sections_kernel(const std::int32_t* values, unsigned length,
                                std::int64_t* best, unsigned long long* record, std::uint32_t* order)
{
    __shared__ unsigned long long top;
    const unsigned s = blockIdx.x;
    const std::int32_t* row = values + (size_t)s * length;

    if (threadIdx.x == 0)
        top = key(row[0], 0);
    __syncthreads();
    unsigned long long k = 0;
    for (unsigned c = threadIdx.x; c < length; c += blockDim.x)
        k = max(k, key(row[c], c));
    atomicMax(&top, k);
    __syncthreads();
    if (threadIdx.x != 0)
        return;

    const unsigned column = 0xffffffffu - (unsigned)top;
    const long long v = row[column];
    const long long p = (long long)s * length + column;

    while (atomicExch(&spin, 1u) == 1u)
        __nanosleep(50);
    __threadfence();

    volatile std::int64_t* b = best;
    volatile unsigned long long* r = record;
    unsigned long long entries = r[0];
    if (entries == 0 || v > b[0] || (v == b[0] && p < b[1])) {
        b[0] = v;
        b[1] = p;
    }
    order[entries] = s;
    r[0] = entries + 1;
    r[1] = r[1] * checksum_multiplier + s + 1;

    __threadfence();
    atomicExch(&spin, 0u);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order)
{
    cudaMemset(record, 0, 16);
    sections_kernel<<<(unsigned)sections, 64>>>(values, (unsigned)length, best,
                                                (unsigned long long*)record, order);
}
