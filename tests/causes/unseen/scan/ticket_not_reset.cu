// cause: state_kept_between_calls line 11 or 78
// task: exclusive_int
// the counter that gives out the tiles goes on where the previous call stopped, so later calls process no tile or only some; shows from the second call on.
/* Chained scan in one pass: each tile waits for the running total of its predecessor. */
#include "interface.cuh"

#define THREADS 256
#define PER     4
#define TILE    (THREADS * PER)

__device__ unsigned int d_ticket = 0;

struct Slot {
    int      total;     // sum of everything up to and including the tile
    unsigned ready;
};

__global__ void chained_scan(const int* __restrict__ in, size_t n, int* __restrict__ out,
                             Slot* slots, unsigned tiles)
{
    __shared__ unsigned s_tile;
    __shared__ int s_sum[THREADS];
    __shared__ int s_before;

    const unsigned t = threadIdx.x;
    if (t == 0) s_tile = atomicAdd(&d_ticket, 1u);
    __syncthreads();
    const unsigned tile = s_tile;
    if (tile >= tiles) return;

    int x[PER];
    int sum = 0;
    const size_t first = (size_t)tile * TILE + t * PER;
    for (int k = 0; k < PER; ++k) {
        int v = first + k < n ? in[first + k] : 0;
        x[k] = sum;
        sum += v;
    }

    s_sum[t] = sum;
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d <<= 1) {
        int left = t >= d ? s_sum[t - d] : 0;
        __syncthreads();
        s_sum[t] += left;
        __syncthreads();
    }

    if (t == 0) {
        int before = 0;
        if (tile > 0) {
            while (atomicAdd(&slots[tile - 1].ready, 0u) == 0u) { }
            __threadfence();
            before = atomicAdd(&slots[tile - 1].total, 0);
        }
        atomicExch(&slots[tile].total, before + s_sum[THREADS - 1]);
        __threadfence();
        atomicExch(&slots[tile].ready, 1u);
        s_before = before;
    }
    __syncthreads();

    const int before = s_before + (t ? s_sum[t - 1] : 0);
    for (int k = 0; k < PER; ++k)
        if (first + k < n) out[first + k] = before + x[k];
}

void scan_exclusive_int(const int* in, size_t n, int* out)
{
    static Slot* slots = nullptr;
    static unsigned capacity = 0;
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    if (tiles > capacity) {
        cudaFree(slots);
        cudaMalloc(&slots, tiles * sizeof(Slot));
        capacity = tiles;
    }
    cudaMemset(slots, 0, tiles * sizeof(Slot));
    chained_scan<<<tiles, THREADS>>>(in, n, out, slots, tiles);
}
