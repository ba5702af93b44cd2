// cause: inclusive_exclusive line 52
// task: exclusive_int
// After the way down the last place holds the exclusive sum, so the total of the block lacks its last element; shows from the second block on, n > 512.
#include "interface.cuh"

const int THREADS = 256;
const int ELEMS = 2 * THREADS;

/* Blelloch: up-sweep, zero at the root, down-sweep */
__global__ void blelloch(const int *g_in, size_t n, int *g_out, int *g_sums)
{
    __shared__ int temp[ELEMS];
    int tid = threadIdx.x;
    size_t base = (size_t)blockIdx.x * ELEMS;
    int ai = tid, bi = tid + THREADS;

    int a = base + ai < n ? g_in[base + ai] : 0;
    int b = base + bi < n ? g_in[base + bi] : 0;
    temp[ai] = a;
    temp[bi] = b;

    int offset = 1;
    for (int d = ELEMS >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            temp[right] += temp[left];
        }
        offset *= 2;
    }
    __syncthreads();
    if (tid == 0)
        temp[ELEMS - 1] = 0;

    for (int d = 1; d < ELEMS; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            int t = temp[left];
            temp[left] = temp[right];
            temp[right] += t;
        }
    }
    __syncthreads();

    if (base + ai < n) g_out[base + ai] = temp[ai];
    if (base + bi < n) g_out[base + bi] = temp[bi];
    if (tid == THREADS - 1)
        g_sums[blockIdx.x] = temp[bi];
}

__global__ void uniform_add(int *g_out, size_t n, const int *g_offsets)
{
    size_t i = (size_t)blockIdx.x * ELEMS + threadIdx.x;
    int offset = g_offsets[blockIdx.x];
    if (i < n) g_out[i] += offset;
    if (i + THREADS < n) g_out[i + THREADS] += offset;
}

static int *level_sums[4], *level_offsets[4];
static size_t level_room[4];

static void scan_recursive(const int *in, size_t n, int *out, int level)
{
    size_t blocks = (n + ELEMS - 1) / ELEMS;
    if (level_room[level] < blocks) {
        cudaFree(level_sums[level]);
        cudaFree(level_offsets[level]);
        cudaMalloc((void **)&level_sums[level], blocks * sizeof(int));
        cudaMalloc((void **)&level_offsets[level], blocks * sizeof(int));
        level_room[level] = blocks;
    }
    blelloch<<<blocks, THREADS>>>(in, n, out, level_sums[level]);
    if (blocks > 1) {
        scan_recursive(level_sums[level], blocks, level_offsets[level], level + 1);
        uniform_add<<<blocks, THREADS>>>(out, n, level_offsets[level]);
    }
}

void scan_inclusive_int(const int*, std::size_t, int*) {}

void scan_exclusive_int(const int *in, std::size_t n, int *out)
{
    scan_recursive(in, n, out, 0);
}

void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
