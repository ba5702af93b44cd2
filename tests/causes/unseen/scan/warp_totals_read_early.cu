// cause: missing_barrier line 37 or 38
// task: inclusive_int
// the scanned warp totals are read by the other warps without waiting for warp 0; the checkers see the race in every block.
#include "interface.cuh"

#define WARP 32
#define BLOCK 256
#define NWARPS (BLOCK / WARP)

__device__ int warpInclusive(int v)
{
    int lane = threadIdx.x % WARP;
    for (int d = 1; d < WARP; d *= 2) {
        int left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

/* one tile per block; tileSums may be NULL */
__global__ void scanTiles(const int* in, size_t n, int* out, int* tileSums)
{
    __shared__ int warpTotals[NWARPS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    int lane = threadIdx.x % WARP;
    int warp = threadIdx.x / WARP;

    int v = (i < n) ? in[i] : 0;
    v = warpInclusive(v);
    if (lane == WARP - 1) warpTotals[warp] = v;
    __syncthreads();

    if (warp == 0) {
        int t = (lane < NWARPS) ? warpTotals[lane] : 0;
        t = warpInclusive(t);
        if (lane < NWARPS) warpTotals[lane] = t;
    }
    if (warp > 0) v += warpTotals[warp - 1];

    if (i < n) out[i] = v;
    if (threadIdx.x == BLOCK - 1 && tileSums != NULL) tileSums[blockIdx.x] = v;
}

__global__ void addTileSums(int* out, size_t n, const int* tileSums)
{
    size_t i = (size_t)(blockIdx.x + 1) * BLOCK + threadIdx.x;
    if (i < n) out[i] += tileSums[blockIdx.x];
}

static void scanAny(const int* in, size_t n, int* out)
{
    size_t tiles = (n + BLOCK - 1) / BLOCK;
    if (tiles == 1) {
        scanTiles<<<1, BLOCK>>>(in, n, out, NULL);
        return;
    }
    int* sums;
    cudaMalloc((void**)&sums, tiles * sizeof(int));
    scanTiles<<<(unsigned)tiles, BLOCK>>>(in, n, out, sums);
    scanAny(sums, tiles, sums);
    addTileSums<<<(unsigned)(tiles - 1), BLOCK>>>(out, n, sums);
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, size_t n, int* out)
{
    scanAny(in, n, out);
}
