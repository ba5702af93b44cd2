// cause: unsigned_index line 62
// task: exclusive_int
// For block 0, blockIdx.x - 1 is a huge unsigned number and not negative, so it reads far outside of the sums.
#include "interface.cuh"

#define NTHR 256

static int *d_sums = NULL;
static size_t d_cap = 0;

__global__ void local_scan(const int *in, int *out, int *sums, size_t n)
{
    __shared__ int s[NTHR + 1];
    size_t gid = (size_t)blockIdx.x * NTHR + threadIdx.x;

    if (threadIdx.x == 0)
        s[0] = 0;
    s[threadIdx.x + 1] = gid < n ? in[gid] : 0;
    __syncthreads();

    for (int d = 1; d <= NTHR; d <<= 1) {
        int v = 0;
        if (threadIdx.x + 1 >= d)
            v = s[threadIdx.x + 1 - d];
        __syncthreads();
        s[threadIdx.x + 1] += v;
        __syncthreads();
    }

    if (gid < n)
        out[gid] = s[threadIdx.x];
    if (threadIdx.x == 0)
        sums[blockIdx.x] = s[NTHR];
}

/* inclusive, in place, by one block: every thread has its own stretch */
__global__ void scan_sums(int *sums, int m)
{
    __shared__ int stretch[NTHR];
    int len = (m + NTHR - 1) / NTHR;
    int lo = min(m, len * (int)threadIdx.x);
    int hi = min(m, lo + len);

    int v = 0;
    for (int i = lo; i < hi; i++) {
        v += sums[i];
        sums[i] = v;
    }
    stretch[threadIdx.x] = v;
    __syncthreads();

    int before = 0;
    for (int t = 0; t < threadIdx.x; t++)
        before += stretch[t];
    for (int i = lo; i < hi; i++)
        sums[i] += before;
}

__global__ void add_previous(int *out, const int *sums, size_t n)
{
    size_t gid = (size_t)blockIdx.x * NTHR + threadIdx.x;
    int before = blockIdx.x - 1 >= 0 ? sums[blockIdx.x - 1] : 0;
    if (gid < n)
        out[gid] += before;
}

void scan_exclusive_int(const int *in, size_t n, int *out)
{
    size_t blocks = (n + NTHR - 1) / NTHR;
    if (blocks > d_cap) {
        cudaFree(d_sums);
        cudaMalloc((void **)&d_sums, blocks * sizeof(int));
        d_cap = blocks;
    }
    local_scan<<<blocks, NTHR>>>(in, out, d_sums, n);
    scan_sums<<<1, NTHR>>>(d_sums, blocks);
    add_previous<<<blocks, NTHR>>>(out, d_sums, n);
}
