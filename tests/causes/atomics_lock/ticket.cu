// cause: lock_not_initialised line 74
// task: critical_section
// Only the next ticket is set to 0, not the number that is served: the memory of the lock comes from cudaMalloc.
#include "interface.cuh"
#include <climits>

struct TicketLock {
    unsigned next;
    unsigned serving;

    __device__ void lock() {
        unsigned my = atomicAdd(&next, 1u);
        while (atomicAdd(&serving, 0u) != my) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

__device__ long long ld(const std::int64_t* p) { return *(const volatile std::int64_t*)p; }
__device__ unsigned long long ld(const std::uint64_t* p) { return *(const volatile std::uint64_t*)p; }

template <int N>
__global__ void critical(TicketLock* tl, const std::int32_t* values, std::size_t length, std::int64_t* best,
                         std::uint64_t* record, std::uint32_t* order) {
    __shared__ int val[N];
    __shared__ unsigned long long pos[N];
    const int t = threadIdx.x;
    const unsigned long long begin = blockIdx.x * (unsigned long long)length;

    int v = INT_MIN;
    unsigned long long p = begin + length;
    for (std::size_t j = t; j < length; j += N) {
        int x = values[begin + j];
        if (x > v || p == begin + length) {
            v = x;
            p = begin + j;
        }
    }
    val[t] = v;
    pos[t] = p;
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (t < half) {
            if (val[t + half] > val[t] || (val[t + half] == val[t] && pos[t + half] < pos[t])) {
                val[t] = val[t + half];
                pos[t] = pos[t + half];
            }
        }
        __syncthreads();
    }
    if (t != 0) return;

    const long long bv = val[0], bp = (long long)pos[0];
    tl->lock();
    unsigned long long entries = ld(record);
    if (entries == 0 || bv > ld(best) || (bv == ld(best) && bp < ld(best + 1))) {
        best[0] = bv;
        best[1] = bp;
    }
    order[entries] = blockIdx.x;
    record[0] = entries + 1;
    record[1] = ld(record + 1) * checksum_multiplier + (blockIdx.x + 1);
    tl->unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order) {
    TicketLock* tl;
    cudaMalloc(&tl, sizeof(TicketLock));
    cudaMemset(&tl->next, 0, sizeof(unsigned));
    cudaMemset(record, 0, 2 * sizeof(*record));
    critical<64><<<(unsigned)sections, 64>>>(tl, values, length, best, record, order);
    cudaFree(tl);
}
