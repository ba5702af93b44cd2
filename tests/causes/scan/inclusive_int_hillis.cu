// cause: in_place line 17
// task: inclusive_int
// Each step of the scan in shared memory adds to an element that another thread still reads: wrong from the second warp on.
#include "interface.cuh"

#define B 256

__global__ void scan_tiles(const int *in, size_t n, int *out, int *sums)
{
    __shared__ int s[B];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * B + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];
        __syncthreads();
    }
    if (i < n)
        out[i] = s[t];
    if (t == B - 1)
        sums[blockIdx.x] = s[t];
}

__global__ void add_offsets(int *out, size_t n, const int *sums)
{
    size_t i = (size_t)(blockIdx.x + 1) * B + threadIdx.x;
    if (i < n)
        out[i] += sums[blockIdx.x];
}

/* tmp has room for all the levels above */
static void scan_rec(const int *in, size_t n, int *out, int *tmp)
{
    size_t nb = (n + B - 1) / B;
    int *sums = tmp;
    int *scanned = tmp + nb;
    scan_tiles<<<nb, B>>>(in, n, out, sums);
    if (nb > 1) {
        scan_rec(sums, nb, scanned, scanned + nb);
        add_offsets<<<nb - 1, B>>>(out, n, scanned);
    }
}

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    static int *tmp;
    static size_t cap;
    size_t need = n / 64 + 64;
    if (need > cap) {
        cudaFree(tmp);
        cudaMalloc(&tmp, need * sizeof(int));
        cap = need;
    }
    scan_rec(in, n, out, tmp);
}
