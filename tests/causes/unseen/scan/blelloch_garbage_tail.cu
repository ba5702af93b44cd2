// cause: uninitialised_shared line 18
// task: exclusive_int
// the cells beyond the end of the last tile are never set but the tree adds them; shows whenever n is no multiple of 512.
// Work-efficient scan after Blelloch (GPU Gems 3, chapter 39)
#include "interface.cuh"

const unsigned T = 256;          // threads
const unsigned ELEMS = 2 * T;    // elements per block

__global__ void prescan(int *g_odata, const int *g_idata, int *g_sums, size_t n)
{
    extern __shared__ int temp[];
    unsigned thid = threadIdx.x;
    size_t first = size_t(blockIdx.x) * ELEMS;
    unsigned offset = 1;

    for (unsigned k = thid; k < ELEMS; k += T)
        if (first + k < n) temp[k] = g_idata[first + k];

    for (unsigned d = ELEMS >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            unsigned ai = offset * (2 * thid + 1) - 1;
            unsigned bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    __syncthreads();
    if (thid == 0) {
        g_sums[blockIdx.x] = temp[ELEMS - 1];
        temp[ELEMS - 1] = 0;
    }
    for (unsigned d = 1; d < ELEMS; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            unsigned ai = offset * (2 * thid + 1) - 1;
            unsigned bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();

    for (unsigned k = thid; k < ELEMS; k += T)
        if (first + k < n) g_odata[first + k] = temp[k];
}

__global__ void uniformAdd(int *g_data, const int *g_incr, size_t n)
{
    size_t first = size_t(blockIdx.x) * ELEMS;
    int incr = g_incr[blockIdx.x];
    for (unsigned k = threadIdx.x; k < ELEMS; k += T)
        if (first + k < n) g_data[first + k] += incr;
}

static void prescanLevel(int *odata, const int *idata, size_t n)
{
    unsigned blocks = unsigned((n + ELEMS - 1) / ELEMS);
    int *sums, *incr;
    cudaMalloc(&sums, blocks * sizeof(int));
    prescan<<<blocks, T, ELEMS * sizeof(int)>>>(odata, idata, sums, n);
    if (blocks > 1) {
        cudaMalloc(&incr, blocks * sizeof(int));
        prescanLevel(incr, sums, blocks);
        uniformAdd<<<blocks, T>>>(odata, incr, n);
        cudaFree(incr);
    }
    cudaFree(sums);
}

void scan_exclusive_int(const int *in, size_t n, int *out)
{
    prescanLevel(out, in, n);
}
