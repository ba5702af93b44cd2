// cause: size_in_elements line 98
// task: exclusive_int
// only an eighth of the tile states is cleared, so blocks look back at states of an earlier call or at garbage; shows from the second tile on
#include "interface.cuh"
#include <cuda_runtime.h>
#include <stdint.h>

typedef unsigned long long u64;

enum : u64 { EMPTY = 0, PARTIAL = 1, COMPLETE = 2 };

#define NT 256
#define ITEMS 4
#define TILE (NT * ITEMS)

__device__ __forceinline__ u64 pack(u64 flag, unsigned value) { return (flag << 32) | value; }

__device__ unsigned look_back(u64 *state, int tile)
{
    unsigned before = 0;
    for (int t = tile - 1; t >= 0;) {
        u64 s = atomicAdd(&state[t], 0ull);
        u64 flag = s >> 32;
        if (flag == EMPTY)
            continue;
        before += (unsigned)s;
        if (flag == COMPLETE)
            break;
        --t;
    }
    return before;
}

__global__ void one_pass(const int *in, size_t n, int *out, u64 *state, unsigned *ticket)
{
    __shared__ unsigned tile_id, tile_before;
    __shared__ unsigned warps[NT / 32];

    if (threadIdx.x == 0)
        tile_id = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned tile = tile_id;
    const size_t first = (size_t)tile * TILE + threadIdx.x * ITEMS;

    unsigned v[ITEMS], sum = 0;
    for (int k = 0; k < ITEMS; ++k) {
        unsigned x = first + k < n ? in[first + k] : 0;
        v[k] = sum;
        sum += x;
    }

    unsigned incl = sum, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned y = __shfl_up_sync(~0u, incl, d);
        if (lane >= d)
            incl += y;
    }
    if (lane == 31)
        warps[w] = incl;
    __syncthreads();

    unsigned total = 0, mine = incl - sum;
    for (unsigned k = 0; k < NT / 32; ++k) {
        if (k < w)
            mine += warps[k];
        total += warps[k];
    }

    if (threadIdx.x == 0) {
        if (tile > 0)
            atomicExch(&state[tile], pack(PARTIAL, total));
        unsigned b = look_back(state, tile);
        atomicExch(&state[tile], pack(COMPLETE, b + total));
        tile_before = b;
    }
    __syncthreads();
    mine += tile_before;

    for (int k = 0; k < ITEMS; ++k)
        if (first + k < n)
            out[first + k] = mine + v[k];
}

void scan_exclusive_int(const int *in, std::size_t n, int *out)
{
    static u64 *state;
    static unsigned *ticket;
    static size_t capacity;
    size_t tiles = (n + TILE - 1) / TILE;

    if (tiles > capacity) {
        cudaFree(state);
        cudaMalloc(&state, tiles * sizeof(u64));
        capacity = tiles;
    }
    if (!ticket)
        cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemsetAsync(state, 0, tiles);
    cudaMemsetAsync(ticket, 0, sizeof(unsigned));
    one_pass<<<tiles, NT>>>(in, n, out, state, ticket);
}
