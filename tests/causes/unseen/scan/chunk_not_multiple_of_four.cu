// cause: misaligned line 84
// task: inclusive_int
// the chunk of a block starts at any element, but is read as int4; shows when n / 64, rounded up, is no multiple of 4.
// reduce, scan the 64 sums, scan again -- vectorised
#include "interface.cuh"

#define NB 64
#define NT 256

__device__ int blockSumBefore(int mine, int *all, int *cells)
{
    int t = threadIdx.x;
    cells[t] = mine;
    __syncthreads();
    for (int d = 1; d < NT; d *= 2) {
        int x = t >= d ? cells[t - d] : 0;
        __syncthreads();
        cells[t] += x;
        __syncthreads();
    }
    int before = t ? cells[t - 1] : 0;
    *all = cells[NT - 1];
    __syncthreads();
    return before;
}

__global__ void chunkSums(const int *in, size_t n, size_t chunk, int *sums)
{
    __shared__ int cells[NT];
    size_t lo = blockIdx.x * chunk;
    size_t hi = lo + chunk < n ? lo + chunk : n;
    int s = 0, all;
    for (size_t i = lo + 4 * threadIdx.x; i < hi; i += 4 * NT) {
        if (i + 4 <= hi) {
            int4 v = *(const int4 *)(in + i);
            s += v.x + v.y + v.z + v.w;
        } else {
            for (size_t k = i; k < hi; k++) s += in[k];
        }
    }
    blockSumBefore(s, &all, cells);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

__global__ void chunkScan(const int *in, size_t n, size_t chunk, const int *sums, int *out)
{
    __shared__ int cells[NT];
    size_t lo = blockIdx.x * chunk;
    size_t hi = lo + chunk < n ? lo + chunk : n;
    int carry = 0;
    for (int b = 0; b < blockIdx.x; b++) carry += sums[b];

    for (size_t base = lo; base < hi; base += 4 * NT) {
        size_t i = base + 4 * threadIdx.x;
        int4 v = make_int4(0, 0, 0, 0);
        bool whole = i + 4 <= hi;
        if (whole) {
            v = *(const int4 *)(in + i);
        } else {
            if (i     < hi) v.x = in[i];
            if (i + 1 < hi) v.y = in[i + 1];
            if (i + 2 < hi) v.z = in[i + 2];
        }
        v.y += v.x; v.z += v.y; v.w += v.z;

        int all;
        int add = carry + blockSumBefore(v.w, &all, cells);
        v.x += add; v.y += add; v.z += add; v.w += add;
        carry += all;
        if (whole) {
            *(int4 *)(out + i) = v;
        } else {
            if (i     < hi) out[i]     = v.x;
            if (i + 1 < hi) out[i + 1] = v.y;
            if (i + 2 < hi) out[i + 2] = v.z;
        }
    }
}

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    static int *sums = 0;
    if (!sums) cudaMalloc(&sums, NB * sizeof(int));
    size_t chunk = (n + NB - 1) / NB;
    chunkSums<<<NB, NT>>>(in, n, chunk, sums);
    chunkScan<<<NB, NT>>>(in, n, chunk, sums, out);
}
