// cause: tree_level_missing line 28
// task: inclusive_float
// The way down begins at a stride of one eighth of the section instead of one quarter, so element 3/4 of each section and its followers lack a sum.
#include "interface.cuh"

#define BLOCK 256
#define SECTION (2 * BLOCK)

// Brent-Kung: each block of 256 threads scans a section of 512 elements.
__global__ void brent_kung(const float* X, float* Y, size_t n, float* S) {
    __shared__ float XY[SECTION];
    unsigned int tx = threadIdx.x;
    size_t i = (size_t)SECTION * blockIdx.x + tx;

    XY[tx] = (i < n) ? X[i] : 0.0f;
    XY[tx + BLOCK] = (i + BLOCK < n) ? X[i + BLOCK] : 0.0f;

    // reduction phase
    for (unsigned int stride = 1; stride <= BLOCK; stride *= 2) {
        __syncthreads();
        unsigned int index = (tx + 1) * 2 * stride - 1;
        if (index < SECTION) {
            XY[index] += XY[index - stride];
        }
    }

    // distribution phase
    for (unsigned int stride = SECTION / 8; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned int index = (tx + 1) * stride * 2 - 1;
        if (index + stride < SECTION) {
            XY[index + stride] += XY[index];
        }
    }
    __syncthreads();

    if (i < n) Y[i] = XY[tx];
    if (i + BLOCK < n) Y[i + BLOCK] = XY[tx + BLOCK];
    if (S != nullptr && tx == 0) S[blockIdx.x] = XY[SECTION - 1];
}

__global__ void add(float* Y, size_t n, const float* S) {
    size_t i = (size_t)SECTION * (blockIdx.x + 1) + threadIdx.x;
    float before = S[blockIdx.x];
    if (i < n) Y[i] += before;
    if (i + BLOCK < n) Y[i + BLOCK] += before;
}

static void scan(const float* X, float* Y, size_t n) {
    unsigned int sections = (n + SECTION - 1) / SECTION;
    if (sections == 1) {
        brent_kung<<<1, BLOCK>>>(X, Y, n, nullptr);
        return;
    }
    float* S;
    cudaMalloc((void**)&S, 2 * sections * sizeof(float));
    float* scannedS = S + sections;
    brent_kung<<<sections, BLOCK>>>(X, Y, n, S);
    scan(S, scannedS, sections);
    add<<<sections - 1, BLOCK>>>(Y, n, scannedS);
    cudaFree(S);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan(in, out, n);
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
