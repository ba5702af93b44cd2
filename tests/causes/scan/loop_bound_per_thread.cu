// cause: divergent_barrier line 148
// task: exclusive_float
// Threads without an element in the last round leave the loop, and do not reach the barriers and shuffles of the scan inside.
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

void scan_exclusive_int(const int *in, size_t n, int *out)
{
    scan_array<int, true>(in, n, out);
}

void scan_inclusive_float(const float *in, size_t n, float *out)
{
    scan_array<float, false>(in, n, out);
}

/* Exclusive floats, without a third pass: the parts are added up first and scanned afterwards. */

#define PARTS 768

__device__ float part_sum(const float *in, size_t from, size_t to)
{
    __shared__ BlockScan<float> scan;
    float x = 0, total;
    for (size_t i = from + threadIdx.x; i < to; i += TPB)
        x += in[i];
    scan.exclusive(x, &total);
    return total;
}

__global__ void sum_parts(const float *in, size_t n, size_t part, float *sums)
{
    size_t from = blockIdx.x * part, to = from + part < n ? from + part : n;
    float total = part_sum(in, from, to);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

__global__ void scan_parts(const float *in, size_t n, size_t part, const float *sums, float *out)
{
    __shared__ BlockScan<float> scan;
    size_t from = blockIdx.x * part, to = from + part < n ? from + part : n;
    float carry = sums[blockIdx.x];
    for (size_t i = from + threadIdx.x; i < to; i += TPB) {
        float total, x = i < to ? in[i] : 0.0f;
        float left = scan.exclusive(x, &total);
        if (i < to)
            out[i] = carry + left;
        carry += total;
    }
}

void scan_exclusive_float(const float *in, size_t n, float *out)
{
    static float *sums = NULL;
    if (!sums)
        cudaMalloc((void **)&sums, PARTS * sizeof(float));
    size_t part = (n + PARTS - 1) / PARTS;
    part = (part + 31) / 32 * 32;
    unsigned used = (unsigned)((n + part - 1) / part);
    sum_parts<<<used, TPB>>>(in, n, part, sums);
    scan_sums<float><<<1, TPB>>>(sums, used);
    scan_parts<<<used, TPB>>>(in, n, part, sums, out);
}
