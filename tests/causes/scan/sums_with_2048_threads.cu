// cause: launch_refused line 16 or 90
// task: inclusive_int
// The kernel that scans the sums of the tiles is launched with 2048 threads in a block, more than a block may have, so the launch is refused and the sums of the tiles stay unscanned; shows in every case.
#include "interface.cuh"

/*
 * Inclusive scan of ints in three phases:
 *   1. each thread scans 4 elements, each block scans a tile of 512 elements,
 *   2. the sums of the tiles are scanned,
 *   3. each tile adds the sum of the tiles before it.
 */

#define THREADS 128
#define PER_THREAD 4
#define TILE (THREADS * PER_THREAD)
#define SUM_THREADS 2048

__global__ void phase1(const int *in, size_t n, int *out, int *sums)
{
    __shared__ int s[THREADS];
    size_t first = (size_t)blockIdx.x * TILE + threadIdx.x * PER_THREAD;
    int v[PER_THREAD];
    int total = 0;

    /* scan in registers */
    for (int k = 0; k < PER_THREAD; k++) {
        if (first + k < n)
            total += in[first + k];
        v[k] = total;
    }

    /* scan of the threads' totals */
    s[threadIdx.x] = total;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int x = 0;
        if (threadIdx.x >= d)
            x = s[threadIdx.x - d];
        __syncthreads();
        s[threadIdx.x] += x;
        __syncthreads();
    }

    for (int k = 0; k < PER_THREAD; k++) {
        if (first + k < n)
            out[first + k] = v[k] + s[threadIdx.x] - total;
    }
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = s[threadIdx.x];
}

/* one block; makes the sums exclusive */
__global__ void phase2(int *sums, int count)
{
    extern __shared__ int a[];
    int t = threadIdx.x;
    int carry = 0;

    for (int base = 0; base < count; base += blockDim.x) {
        int v = base + t < count ? sums[base + t] : 0;
        a[t] = v;
        __syncthreads();
        for (int d = 1; d < blockDim.x; d *= 2) {
            int x = t >= d ? a[t - d] : 0;
            __syncthreads();
            a[t] += x;
            __syncthreads();
        }
        if (base + t < count)
            sums[base + t] = carry + a[t] - v;
        carry += a[blockDim.x - 1];
        __syncthreads();
    }
}

__global__ void phase3(int *out, size_t n, const int *sums)
{
    size_t first = (size_t)blockIdx.x * TILE;
    for (int k = threadIdx.x; k < TILE; k += THREADS)
        if (first + k < n)
            out[first + k] += sums[blockIdx.x];
}

void scan_inclusive_int(const int *in, std::size_t n, int *out)
{
    int tiles = (n + TILE - 1) / TILE;
    int *sums;
    cudaMalloc((void **)&sums, tiles * sizeof(int));
    phase1<<<tiles, THREADS>>>(in, n, out, sums);
    phase2<<<1, SUM_THREADS, SUM_THREADS * sizeof(int)>>>(sums, tiles);
    phase3<<<tiles, THREADS>>>(out, n, sums);
    cudaFree(sums);
}

void scan_exclusive_int(const int * /*in*/, std::size_t /*n*/, int * /*out*/)
{
    /* TODO */
}

void scan_inclusive_float(const float * /*in*/, std::size_t /*n*/, float * /*out*/)
{
    /* TODO */
}

void scan_exclusive_float(const float * /*in*/, std::size_t /*n*/, float * /*out*/)
{
    /* TODO */
}
