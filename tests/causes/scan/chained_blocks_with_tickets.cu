// cause: state_kept_between_calls line 73 or 74
// task: inclusive_int
// The counter that gives out the tiles is set to 0 only when the memory is allocated; shows from the second call on.
#include "interface.cuh"

// One pass: blocks take a ticket, scan their tile and wait for the prefix of the tile before.

#define TILE 512

struct Chain {
    unsigned* ticket;   // next tile to give out
    int* ready;         // ready[k] != 0: prefix[k] can be read
    int* prefix;        // sum of tiles 0 ... k
};

__global__ void chained_scan(const int* in, size_t n, int* out, Chain c, unsigned tiles)
{
    __shared__ int buf[TILE];
    __shared__ unsigned tile;
    __shared__ int before;
    const int t = threadIdx.x;

    if (t == 0) tile = atomicAdd(c.ticket, 1u);
    __syncthreads();
    if (tile >= tiles) return;

    const size_t i = (size_t)tile * TILE + t;
    buf[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < TILE; d *= 2) {
        int left = t >= d ? buf[t - d] : 0;
        __syncthreads();
        buf[t] += left;
        __syncthreads();
    }

    if (t == 0) {
        int p = 0;
        if (tile > 0) {
            while (atomicAdd(&c.ready[tile - 1], 0) == 0) { }
            __threadfence();
            p = atomicAdd(&c.prefix[tile - 1], 0);
        }
        atomicExch(&c.prefix[tile], p + buf[TILE - 1]);
        __threadfence();
        atomicExch(&c.ready[tile], 1);
        before = p;
    }
    __syncthreads();

    if (i < n) out[i] = before + buf[t];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    static Chain c;
    static unsigned room = 0;
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE);

    if (room == 0)
        cudaMalloc(&c.ticket, sizeof(unsigned));
    if (tiles > room) {
        if (room != 0) {
            cudaFree(c.ready);
            cudaFree(c.prefix);
        }
        cudaMalloc(&c.ready, tiles * sizeof(int));
        cudaMalloc(&c.prefix, tiles * sizeof(int));
        cudaMemset(c.ticket, 0, sizeof(unsigned));
        room = tiles;
    }
    cudaMemset(c.ready, 0, tiles * sizeof(int));
    chained_scan<<<tiles, TILE>>>(in, n, out, c, tiles);
}

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
