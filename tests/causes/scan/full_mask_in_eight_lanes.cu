// cause: wrong_shuffle_mask line 142
// task: exclusive_int
// Only eight lanes come to the shuffle over the warps' sums, but its mask names all 32.
#include "interface.cuh"

/* Three phases: scan tiles of 1024, scan their sums in one block, add them. */

#define TPB 256
#define PER_THREAD 4
#define TILE (TPB * PER_THREAD)

template <typename T>
struct BlockScan
{
    T warp_sum[TPB / 32];

    /* exclusive scan of the threads' values; *total is their sum */
    __device__ T exclusive(T value, T *total)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        T run = value;
        for (int d = 1; d < 32; d <<= 1) {
            T other = __shfl_up_sync(0xffffffff, run, d);
            if (lane >= d)
                run += other;
        }
        if (lane == 31)
            warp_sum[warp] = run;
        __syncthreads();
        T base = 0;
        *total = 0;
        for (int w = 0; w < TPB / 32; w++) {
            if (w < warp)
                base += warp_sum[w];
            *total += warp_sum[w];
        }
        __syncthreads();
        T prev = __shfl_up_sync(0xffffffff, run, 1);
        return lane == 0 ? base : base + prev;
    }
};

template <typename T, bool EXCL>
__global__ void scan_tiles(const T *in, size_t n, T *out, T *sums)
{
    __shared__ BlockScan<T> scan;
    size_t first = (size_t)blockIdx.x * TILE + (size_t)threadIdx.x * PER_THREAD;
    T v[PER_THREAD], sum = 0, total;
    for (int k = 0; k < PER_THREAD; k++) {
        v[k] = first + k < n ? in[first + k] : (T)0;
        sum += v[k];
    }
    T run = scan.exclusive(sum, &total);
    for (int k = 0; k < PER_THREAD; k++) {
        T with = run + v[k];
        if (first + k < n)
            out[first + k] = EXCL ? run : with;
        run = with;
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

template <typename T>
__global__ void scan_sums(T *sums, size_t count)
{
    __shared__ BlockScan<T> scan;
    T carry = 0;
    for (size_t base = 0; base < count; base += TPB) {
        size_t i = base + threadIdx.x;
        T total, v = i < count ? sums[i] : (T)0;
        T left = scan.exclusive(v, &total);
        if (i < count)
            sums[i] = carry + left;
        carry += total;
    }
}

template <typename T>
__global__ void add_sums(T *out, size_t n, const T *sums)
{
    T s = sums[blockIdx.x];
    for (int k = 0; k < PER_THREAD; k++) {
        size_t i = (size_t)blockIdx.x * TILE + k * TPB + threadIdx.x;
        if (i < n)
            out[i] += s;
    }
}

template <typename T, bool EXCL>
void scan_array(const T *in, size_t n, T *out)
{
    static T *sums = NULL;
    static size_t room = 0;
    size_t tiles = (n + TILE - 1) / TILE;
    if (tiles > room) {
        cudaFree(sums);
        cudaMalloc((void **)&sums, tiles * sizeof(T));
        room = tiles;
    }
    scan_tiles<T, EXCL><<<(unsigned)tiles, TPB>>>(in, n, out, sums);
    scan_sums<T><<<1, TPB>>>(sums, tiles);
    add_sums<T><<<(unsigned)tiles, TPB>>>(out, n, sums);
}

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    scan_array<int, false>(in, n, out);
}

void scan_inclusive_float(const float *in, size_t n, float *out)
{
    scan_array<float, false>(in, n, out);
}

void scan_exclusive_float(const float *in, size_t n, float *out)
{
    scan_array<float, true>(in, n, out);
}

/* Exclusive ints: the first warp scans what the eight warps have left. */

#define WARPS (TPB / 32)

__device__ int exclusive_int(int value, int *total)
{
    __shared__ int carry[WARPS + 1];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int run = value;
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(0xffffffff, run, d);
        run += lane >= d ? other : 0;
    }
    if (lane == 31)
        carry[warp + 1] = run;
    if (threadIdx.x == 0)
        carry[0] = 0;
    __syncthreads();
    if (threadIdx.x < WARPS) {
        int sum = carry[threadIdx.x + 1];
        for (int d = 1; d < WARPS; d <<= 1) {
            int other = __shfl_up_sync(0xffffffff, sum, d);
            if (threadIdx.x >= d)
                sum += other;
        }
        carry[threadIdx.x + 1] = sum;
    }
    __syncthreads();
    *total = carry[WARPS];
    return carry[warp] + run - value;
}

__global__ void tiles_int(const int *in, size_t n, int *out, int *sums)
{
    size_t i = ((size_t)blockIdx.x * TPB + threadIdx.x) * 2;
    int a = i < n ? in[i] : 0;
    int b = i + 1 < n ? in[i + 1] : 0;
    int total, left = exclusive_int(a + b, &total);
    if (i < n)
        out[i] = left;
    if (i + 1 < n)
        out[i + 1] = left + a;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

__global__ void shift_int(int *out, size_t n, const int *sums)
{
    size_t i = (size_t)blockIdx.x * 2 * TPB + threadIdx.x;
    int s = sums[blockIdx.x];
    if (i < n)
        out[i] += s;
    if (i + TPB < n)
        out[i + TPB] += s;
}

void scan_exclusive_int(const int *in, size_t n, int *out)
{
    static int *sums = NULL;
    static size_t room = 0;
    size_t blocks = (n + 2 * TPB - 1) / (2 * TPB);
    if (blocks > room) {
        cudaFree(sums);
        cudaMalloc((void **)&sums, blocks * sizeof(int));
        room = blocks;
    }
    tiles_int<<<(unsigned)blocks, TPB>>>(in, n, out, sums);
    scan_sums<int><<<1, TPB>>>(sums, blocks);
    shift_int<<<(unsigned)blocks, TPB>>>(out, n, sums);
}
