// cause: tree_level_missing line 23
// task: inclusive_int
// with two elements per thread the way down has to start at BLOCK / 2; shows in tiles with at least 384 elements.
#include "interface.cuh"

static const int BLOCK = 256;
static const int SECTION = 2 * BLOCK;

__global__ void bk_scan(const int *X, size_t n, int *Y, int *S) {
    __shared__ int XY[SECTION];
    int tx = threadIdx.x;
    size_t base = (size_t)blockIdx.x * SECTION;

    XY[tx] = base + tx < n ? X[base + tx] : 0;
    XY[tx + BLOCK] = base + tx + BLOCK < n ? X[base + tx + BLOCK] : 0;

    for (int stride = 1; stride <= BLOCK; stride *= 2) {
        __syncthreads();
        int index = (tx + 1) * 2 * stride - 1;
        if (index < SECTION)
            XY[index] += XY[index - stride];
    }
    for (int stride = BLOCK / 4; stride > 0; stride /= 2) {
        __syncthreads();
        int index = (tx + 1) * 2 * stride - 1;
        if (index + stride < SECTION)
            XY[index + stride] += XY[index];
    }
    __syncthreads();

    if (base + tx < n) Y[base + tx] = XY[tx];
    if (base + tx + BLOCK < n) Y[base + tx + BLOCK] = XY[tx + BLOCK];
    if (S && tx == 0) S[blockIdx.x] = XY[SECTION - 1];
}

__global__ void bk_add(int *Y, size_t n, const int *S) {
    if (blockIdx.x == 0) return;
    int s = S[blockIdx.x - 1];
    for (int k = threadIdx.x; k < SECTION; k += blockDim.x) {
        size_t i = (size_t)blockIdx.x * SECTION + k;
        if (i < n) Y[i] += s;
    }
}

static void bk(const int *X, size_t n, int *Y) {
    int nb = (int)((n + SECTION - 1) / SECTION);
    int *S = 0;
    if (nb > 1) cudaMalloc(&S, nb * sizeof(int));
    bk_scan<<<nb, BLOCK>>>(X, n, Y, S);
    if (nb > 1) {
        bk(S, nb, S);
        bk_add<<<nb, BLOCK>>>(Y, n, S);
        cudaFree(S);
    }
}

void scan_inclusive_int(const int *in, size_t n, int *out) { bk(in, n, out); }
