// cause: tree_level_missing line 24
// task: inclusive_float
// The way down ends one step too early: the elements at even places, apart from the first, lack the sum of those before them.
#include "interface.cuh"

#define SECTION_SIZE 512
#define BLOCK_DIM (SECTION_SIZE / 2)

// Brent-Kung: every block scans a section of 512 elements with 256 threads.
__global__ void Brent_Kung_scan_kernel(const float* X, float* Y, float* S, size_t n) {
    __shared__ float XY[SECTION_SIZE];

    size_t i = (size_t)2 * blockIdx.x * blockDim.x + threadIdx.x;
    XY[threadIdx.x] = i < n ? X[i] : 0.0f;
    XY[threadIdx.x + blockDim.x] = i + blockDim.x < n ? X[i + blockDim.x] : 0.0f;

    // up: partial sums
    for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION_SIZE) XY[index] += XY[index - stride];
    }
    // down: distribute them
    for (unsigned int stride = SECTION_SIZE / 4; stride > 1; stride /= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index + stride < SECTION_SIZE) XY[index + stride] += XY[index];
    }
    __syncthreads();

    if (i < n) Y[i] = XY[threadIdx.x];
    if (i + blockDim.x < n) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
    if (threadIdx.x == 0) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}

__global__ void add_kernel(float* Y, const float* S, size_t n) {
    size_t i = (size_t)(blockIdx.x + 1) * SECTION_SIZE + threadIdx.x;  // from the second section on
    if (i < n) Y[i] += S[blockIdx.x];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    size_t sections = (n + SECTION_SIZE - 1) / SECTION_SIZE;
    float *S, *scanned_S;
    cudaMalloc(&S, sections * sizeof(float));
    cudaMalloc(&scanned_S, sections * sizeof(float));

    Brent_Kung_scan_kernel<<<sections, BLOCK_DIM>>>(in, out, S, n);
    if (sections > 1) {
        scan_inclusive_float(S, sections, scanned_S);
        add_kernel<<<sections - 1, SECTION_SIZE>>>(out, scanned_S, n);
    }

    cudaFree(S);
    cudaFree(scanned_S);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    // TODO
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    // TODO
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    // TODO
}
