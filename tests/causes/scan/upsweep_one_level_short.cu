// cause: tree_level_missing line 18
// task: inclusive_int
// A section has twice as many elements as the block has threads, so the way up needs a step of blockDim.x as well;
// without it the last element of each section, which is its sum, lacks the first half.
#include "interface.cuh"

#define THREADS 256
#define SECTION (2 * THREADS)

// Brent and Kung, two elements per thread. sums may be null.
__global__ void brent_kung(const int* X, int* Y, int* sums, size_t n) {
    __shared__ int XY[SECTION];
    const size_t i = (size_t)blockIdx.x * SECTION + threadIdx.x;
    XY[threadIdx.x] = i < n ? X[i] : 0;
    XY[threadIdx.x + THREADS] = i + THREADS < n ? X[i + THREADS] : 0;

    // up
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION) XY[index] += XY[index - stride];
    }
    // and down again
    for (unsigned stride = SECTION / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index + stride < SECTION) XY[index + stride] += XY[index];
    }
    __syncthreads();

    if (i < n) Y[i] = XY[threadIdx.x];
    if (i + THREADS < n) Y[i + THREADS] = XY[threadIdx.x + THREADS];
    if (threadIdx.x == 0 && sums != nullptr) sums[blockIdx.x] = XY[SECTION - 1];
}

__global__ void add_previous(int* Y, const int* scanned, size_t n) {
    if (blockIdx.x == 0) return;
    const size_t i = (size_t)blockIdx.x * SECTION + threadIdx.x;
    const int before = scanned[blockIdx.x - 1];
    if (i < n) Y[i] += before;
    if (i + THREADS < n) Y[i + THREADS] += before;
}

static void scan_level(const int* X, int* Y, size_t n) {
    const size_t blocks = (n + SECTION - 1) / SECTION;
    if (blocks == 1) {
        brent_kung<<<1, THREADS>>>(X, Y, nullptr, n);
        return;
    }
    int *sums, *scanned;
    cudaMalloc((void**)&sums, blocks * sizeof(int));
    cudaMalloc((void**)&scanned, blocks * sizeof(int));
    brent_kung<<<blocks, THREADS>>>(X, Y, sums, n);
    scan_level(sums, scanned, blocks);
    add_previous<<<blocks, THREADS>>>(Y, scanned, n);
    cudaFree(sums);
    cudaFree(scanned);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan_level(in, out, n); }
