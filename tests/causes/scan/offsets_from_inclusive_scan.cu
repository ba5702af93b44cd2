// cause: inclusive_exclusive line 186
// task: exclusive_float
// The sums of the blocks are scanned inclusively, so every block also adds its own sum.
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

/* The exclusive one after Blelloch: up the tree, zero at the root, down again. */

__device__ int padded(int k)
{
    return k + k / 32;
}

__global__ void blelloch(const float *in, size_t n, float *out, float *sums)
{
    __shared__ float tree[2 * TPB + 2 * TPB / 32];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 2 * TPB;
    size_t i = base + t, j = base + TPB + t;

    tree[padded(t)] = i < n ? in[i] : 0.0f;
    tree[padded(TPB + t)] = j < n ? in[j] : 0.0f;
    for (int d = 1; d < 2 * TPB; d *= 2) {
        __syncthreads();
        int right = 2 * d * (t + 1) - 1;
        if (right < 2 * TPB)
            tree[padded(right)] += tree[padded(right - d)];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[padded(2 * TPB - 1)];
        tree[padded(2 * TPB - 1)] = 0.0f;
    }
    for (int d = TPB; d > 0; d /= 2) {
        __syncthreads();
        int right = 2 * d * (t + 1) - 1;
        if (right < 2 * TPB) {
            float left = tree[padded(right - d)];
            tree[padded(right - d)] = tree[padded(right)];
            tree[padded(right)] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = tree[padded(t)];
    if (j < n)
        out[j] = tree[padded(TPB + t)];
}

__global__ void add_offsets(float *out, size_t n, const float *offsets)
{
    size_t i = (size_t)blockIdx.x * 2 * TPB + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
    if (i + TPB < n)
        out[i + TPB] += offsets[blockIdx.x];
}

void scan_exclusive_float(const float *in, size_t n, float *out)
{
    static float *sums = NULL, *offsets = NULL;
    static size_t room = 0;
    size_t blocks = (n + 2 * TPB - 1) / (2 * TPB);
    if (blocks > room) {
        cudaFree(sums);
        cudaFree(offsets);
        cudaMalloc((void **)&sums, blocks * sizeof(float));
        cudaMalloc((void **)&offsets, blocks * sizeof(float));
        room = blocks;
    }
    blelloch<<<(unsigned)blocks, TPB>>>(in, n, out, sums);
    scan_array<float, false>(sums, blocks, offsets);
    add_offsets<<<(unsigned)blocks, TPB>>>(out, n, offsets);
}
