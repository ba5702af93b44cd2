// cause: launch_refused line 8 or 90
// task: exclusive_int
// A tile of 16 elements for each of 1024 threads takes 64 KiB of dynamic shared memory, more than a launch gets
// without asking for it; the kernel never runs.
#include "interface.cuh"

constexpr int THREADS = 1024;
constexpr int PER_THREAD = 16;
constexpr int TILE = THREADS * PER_THREAD;

// what the threads before me have, and what all have together
__device__ int block_exclusive(int v, int* all) {
    __shared__ int of_warp[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int inclusive = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int x = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += x;
    }
    int exclusive = __shfl_up_sync(0xffffffffu, inclusive, 1);
    if (lane == 0) exclusive = 0;
    if (lane == 31) of_warp[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
        int s = of_warp[lane];
        for (int d = 1; d < 32; d *= 2) {
            const int x = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += x;
        }
        of_warp[lane] = s;
    }
    __syncthreads();
    *all = of_warp[31];
    return exclusive + (warp > 0 ? of_warp[warp - 1] : 0);
}

__global__ void scan_tiles(const int* in, size_t n, int* out, int* tile_sums) {
    extern __shared__ int tile[];
    const size_t first = blockIdx.x * (size_t)TILE;

    // neighbours load neighbours; then each thread has its own run of elements
    for (int k = threadIdx.x; k < TILE; k += THREADS) tile[k] = first + k < n ? in[first + k] : 0;
    __syncthreads();

    int* run = tile + threadIdx.x * PER_THREAD;
    int sum = 0;
    for (int k = 0; k < PER_THREAD; ++k) sum += run[k];
    int all;
    int before = block_exclusive(sum, &all);
    for (int k = 0; k < PER_THREAD; ++k) {
        const int x = run[k];
        run[k] = before;
        before += x;
    }
    __syncthreads();

    for (int k = threadIdx.x; k < TILE; k += THREADS)
        if (first + k < n) out[first + k] = tile[k];
    if (threadIdx.x == 0) tile_sums[blockIdx.x] = all;
}

// one block, as many turns as it takes
__global__ void scan_sums(int* sums, int count) {
    int carry = 0;
    for (int start = 0; start < count; start += THREADS) {
        const int k = start + threadIdx.x;
        int all;
        const int e = block_exclusive(k < count ? sums[k] : 0, &all);
        if (k < count) sums[k] = carry + e;
        carry += all;
        __syncthreads();
    }
}

__global__ void add_sums(int* out, size_t n, const int* sums) {
    const size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    if (i < n) out[i] += sums[i / TILE];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static int capacity = 0;
    const int tiles = (int)((n + TILE - 1) / TILE);
    if (tiles > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, tiles * sizeof(int));
        capacity = tiles;
    }
    scan_tiles<<<tiles, THREADS, TILE * sizeof(int)>>>(in, n, out, sums);
    scan_sums<<<1, THREADS>>>(sums, tiles);
    add_sums<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS>>>(out, n, sums);
}
