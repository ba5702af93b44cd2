// cause: state_kept_between_calls line 83
// task: inclusive_int
// The ticket counter that hands out tiles goes on counting from the call before; the first call is right, the second waits for a tile that nobody works on.
#include "interface.cuh"

#define THREADS 256
#define PER_THREAD 4
#define TILE (THREADS * PER_THREAD)

typedef unsigned long long u64;

__device__ unsigned int g_ticket;

// upper half: 1 = prefix is there; lower half: the prefix
__device__ inline int wait_for(u64* slot)
{
    u64 word;
    do {
        word = atomicAdd(slot, 0ULL);
    } while ((word >> 32) == 0);
    return (int)(unsigned int)word;
}

__device__ inline void announce(u64* slot, int prefix)
{
    atomicExch(slot, (1ULL << 32) | (unsigned int)prefix);
}

__global__ void onePassScan(const int* in, size_t n, int* out, u64* slots)
{
    __shared__ unsigned int tile;
    __shared__ int sums[THREADS];
    __shared__ int carry;

    if (threadIdx.x == 0)
        tile = atomicAdd(&g_ticket, 1u);
    __syncthreads();

    size_t first = (size_t)tile * TILE + (size_t)threadIdx.x * PER_THREAD;
    int v[PER_THREAD];
    int acc = 0;
    for (int k = 0; k < PER_THREAD; k++) {
        if (first + k < n)
            acc += in[first + k];
        v[k] = acc;
    }
    sums[threadIdx.x] = acc;
    __syncthreads();

    for (unsigned int d = 1; d < THREADS; d *= 2) {
        int other = 0;
        if (threadIdx.x >= d)
            other = sums[threadIdx.x - d];
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        carry = tile == 0 ? 0 : wait_for(&slots[tile - 1]);
        announce(&slots[tile], carry + sums[THREADS - 1]);
    }
    __syncthreads();

    int before = carry + sums[threadIdx.x] - acc;
    for (int k = 0; k < PER_THREAD; k++)
        if (first + k < n)
            out[first + k] = before + v[k];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    static u64* slots = NULL;
    static size_t capacity = 0;

    size_t tiles = (n + TILE - 1) / TILE;
    if (tiles > capacity) {
        cudaFree(slots);
        cudaMalloc((void**)&slots, tiles * sizeof(u64));
        capacity = tiles;
    }
    cudaMemset(slots, 0, tiles * sizeof(u64));
    onePassScan<<<(unsigned int)tiles, THREADS>>>(in, n, out, slots);
}
