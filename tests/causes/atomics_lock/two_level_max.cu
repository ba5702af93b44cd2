// cause: wrong_identity line 50
// task: critical_section
// The lanes without a warp of their own enter the last reduction with the value 0, which beats the maximum of a section that has only negative values.
#include "interface.cuh"

#define FULL 0xffffffffu
#define WARPS 4

__device__ unsigned int g_lock = 0;

struct MaxAt {
    int value;
    unsigned int at;
};

__device__ MaxAt warp_max(MaxAt m)
{
    for (int offset = 16; offset; offset >>= 1) {
        int v = __shfl_down_sync(FULL, m.value, offset);
        unsigned int a = __shfl_down_sync(FULL, m.at, offset);
        if (v > m.value || (v == m.value && a < m.at)) {
            m.value = v;
            m.at = a;
        }
    }
    return m;
}

__global__ void kernel_sections(const std::int32_t *values, size_t length, std::int64_t *best, std::uint64_t *record,
                                std::uint32_t *order)
{
    __shared__ MaxAt found[WARPS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const std::int32_t *mine = values + (size_t)blockIdx.x * length;

    MaxAt m = {(int)0x80000000, 0xffffffffu};
    for (unsigned int j = threadIdx.x; j < length; j += WARPS * 32)
        if (m.at == 0xffffffffu || mine[j] > m.value) {
            m.value = mine[j];
            m.at = j;
        }
    m = warp_max(m);
    if (lane == 0) found[warp] = m;
    __syncthreads();

    if (warp == 0) {
        if (lane < WARPS)
            m = found[lane];
        else
            m = {0, 0xffffffffu};
        m = warp_max(m);
    }

    if (threadIdx.x == 0) {
        long long v = m.value, p = (long long)((size_t)blockIdx.x * length + m.at);
        while (atomicCAS(&g_lock, 0, 1) != 0)
            __nanosleep(200);
        __threadfence();

        unsigned long long turn = __ldcg((const unsigned long long *)record);
        unsigned long long sum = __ldcg((const unsigned long long *)record + 1);
        long long bv = __ldcg((const long long *)best), bp = __ldcg((const long long *)best + 1);
        if (turn == 0 || v > bv || (v == bv && p < bp)) {
            __stcg((long long *)best, v);
            __stcg((long long *)best + 1, p);
        }
        __stcg(order + turn, blockIdx.x);
        __stcg((unsigned long long *)record, turn + 1);
        __stcg((unsigned long long *)record + 1, sum * checksum_multiplier + (blockIdx.x + 1));

        __threadfence();
        atomicExch(&g_lock, 0);
    }
}

__global__ void clear_record(std::uint64_t *record)
{
    record[threadIdx.x] = 0;
}

void critical_section(const std::int32_t *values, std::size_t sections, std::size_t length, std::int64_t *best,
                      std::uint64_t *record, std::uint32_t *order)
{
    clear_record<<<1, 2>>>(record);
    kernel_sections<<<(unsigned int)sections, WARPS * 32>>>(values, length, best, record, order);
}
