// cause: sign_lost line 11
// task: critical_section
// the complement of the column is a negative int, whose sign bits fill the upper half of the key when it is widened, so the value is lost; shows in every case.
// Value and column in one 64-bit key: the largest key is the largest value, and among equal values the first column.
#include "interface.cuh"

__device__ unsigned int mutex;

__device__ __forceinline__ long long make_key(int value, int column)
{
    return value * (1ll << 32) | ~column;
}

__device__ __forceinline__ long long warp_max(long long key)
{
    for (int offset = 16; offset > 0; offset >>= 1) {
        long long other = __shfl_down_sync(0xffffffff, key, offset);
        key = other > key ? other : key;
    }
    return key;
}

// one warp per block, one block per section
__global__ void find_and_enter(const int32_t *values, int length, volatile int64_t *best,
                               volatile uint64_t *record, volatile uint32_t *order)
{
    const unsigned s = blockIdx.x;
    const int32_t *row = values + (size_t)s * length;

    long long key = -0x7fffffffffffffffll - 1;
    for (int c = threadIdx.x; c < length; c += 32) {
        long long k = make_key(row[c], c);
        if (k > key) key = k;
    }
    key = warp_max(key);
    if (threadIdx.x != 0)
        return;

    const int64_t v = key >> 32;
    const int64_t p = (int64_t)s * length + ~(int)(key & 0xffffffff);

    while (atomicCAS(&mutex, 0u, 1u) != 0u)
        __nanosleep(50);
    __threadfence();

    const uint64_t entries = record[0];
    if (entries == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[entries] = s;
    record[0] = entries + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1ull);

    __threadfence();
    atomicExch(&mutex, 0u);
}

void critical_section(const int32_t *values, size_t sections, size_t length, int64_t *best,
                      uint64_t *record, uint32_t *order)
{
    cudaMemset(record, 0, 2 * sizeof(uint64_t));
    find_and_enter<<<(unsigned)sections, 32>>>(values, (int)length, best, record, order);
}
