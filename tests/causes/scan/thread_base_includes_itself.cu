// cause: inclusive_exclusive line 48
// task: exclusive_int
// The place where a thread starts is the inclusive scan of the threads' sums: its own four elements are counted in it already.
#include "interface.cuh"

// Every thread owns ITEMS neighbouring elements, every block a tile of THREADS * ITEMS.
enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS };

__device__ int block_inclusive(int v, int* total) {
    __shared__ int a[2][THREADS];
    int cur = 0;
    a[0][threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < THREADS; d <<= 1) {
        int x = a[cur][threadIdx.x];
        if (threadIdx.x >= d) x += a[cur][threadIdx.x - d];
        a[cur ^ 1][threadIdx.x] = x;
        cur ^= 1;
        __syncthreads();
    }
    *total = a[cur][THREADS - 1];
    int result = a[cur][threadIdx.x];
    __syncthreads();
    return result;
}

__global__ void tile_totals(const int* in, size_t n, int* totals) {
    size_t first = (size_t)blockIdx.x * TILE + threadIdx.x;
    int s = 0, total;
    for (int k = 0; k < ITEMS; ++k)
        if (first + k * THREADS < n) s += in[first + k * THREADS];
    block_inclusive(s, &total);
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// Scans one tile after the other from a start value. With totals == nullptr this block does all tiles by itself.
__global__ void exclusive(const int* in, size_t n, int* out, const int* totals) {
    size_t tile = blockIdx.x;
    int start = totals ? totals[tile] : 0;
    for (; tile * TILE < n; tile += gridDim.x) {
        size_t first = tile * TILE + threadIdx.x * ITEMS;
        int x[ITEMS];
        int s = 0, total;
        for (int k = 0; k < ITEMS; ++k) {
            x[k] = first + k < n ? in[first + k] : 0;
            s += x[k];
        }
        int run = start + block_inclusive(s, &total);
        for (int k = 0; k < ITEMS; ++k) {
            if (first + k < n) out[first + k] = run;
            run += x[k];
        }
        start += total;
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int *totals = nullptr, *starts = nullptr;
    static size_t room = 0;
    size_t tiles = (n + TILE - 1) / TILE;
    if (tiles > room) {
        cudaFree(totals);
        cudaFree(starts);
        cudaMalloc(&totals, tiles * sizeof(int));
        cudaMalloc(&starts, tiles * sizeof(int));
        room = tiles;
    }
    tile_totals<<<(unsigned)tiles, THREADS>>>(in, n, totals);
    exclusive<<<1, THREADS>>>(totals, tiles, starts, nullptr);
    exclusive<<<(unsigned)tiles, THREADS>>>(in, n, out, starts);
}
