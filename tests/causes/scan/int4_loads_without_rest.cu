// cause: tail_ignored line 71
// task: exclusive_int
// The number of groups of four is rounded down, so the last one to three elements get no output where n is no multiple of 4.
#include "interface.cuh"

#define THREADS 256

// Where a group of four is not complete, the missing elements are zeros.
__device__ int4 load4(const int* in, size_t n, size_t g) {
    size_t i = 4 * g;
    int4 v = make_int4(0, 0, 0, 0);
    if (i + 3 < n) {
        v = ((const int4*)in)[g];
    } else {
        if (i < n) v.x = in[i];
        if (i + 1 < n) v.y = in[i + 1];
        if (i + 2 < n) v.z = in[i + 2];
    }
    return v;
}

__device__ void store4(int* out, size_t n, size_t g, int4 v) {
    size_t i = 4 * g;
    if (i + 3 < n) {
        ((int4*)out)[g] = v;
    } else {
        if (i < n) out[i] = v.x;
        if (i + 1 < n) out[i + 1] = v.y;
        if (i + 2 < n) out[i + 2] = v.z;
    }
}

__device__ int scan_threads(int x) {
    __shared__ int a[THREADS];
    a[threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < THREADS; d <<= 1) {
        int y = a[threadIdx.x];
        if (threadIdx.x >= d) y += a[threadIdx.x - d];
        __syncthreads();
        a[threadIdx.x] = y;
        __syncthreads();
    }
    return a[threadIdx.x];
}

// Exclusive scan of each tile of 1024 elements
__global__ void tiles(const int* in, size_t n, size_t groups, int* out, int* sums) {
    size_t g = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int4 v = make_int4(0, 0, 0, 0);
    if (g < groups) v = load4(in, n, g);
    int sum = v.x + v.y + v.z + v.w;
    int upto = scan_threads(sum);

    int4 r;
    r.x = upto - sum;
    r.y = r.x + v.x;
    r.z = r.y + v.y;
    r.w = r.z + v.z;
    if (g < groups) store4(out, n, g, r);
    if (sums && threadIdx.x == THREADS - 1) sums[blockIdx.x] = upto;
}

__global__ void add(int* out, size_t n, const int* offsets) {
    size_t i = (size_t)blockIdx.x * 4 * THREADS + threadIdx.x;
    for (int k = 0; k < 4; k++, i += THREADS)
        if (i < n) out[i] += offsets[blockIdx.x];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    size_t groups = n / 4;
    size_t blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
    if (blocks == 1) {
        tiles<<<1, THREADS>>>(in, n, groups, out, nullptr);
        return;
    }
    int* sums;
    cudaMalloc(&sums, blocks * sizeof(int));
    int* offsets;
    cudaMalloc(&offsets, blocks * sizeof(int));
    tiles<<<blocks, THREADS>>>(in, n, groups, out, sums);
    scan_exclusive_int(sums, blocks, offsets);
    add<<<blocks, THREADS>>>(out, n, offsets);
    cudaFree(offsets);
    cudaFree(sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
