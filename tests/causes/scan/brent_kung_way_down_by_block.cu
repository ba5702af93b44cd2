// cause: tree_level_missing line 25
// task: inclusive_int
// The way down begins at a quarter of the threads instead of a quarter of the section, which is twice as large: its first level is missing.
#include "interface.cuh"

#define SECTION_SIZE 1024  // twice the number of threads of a block

// Brent and Kung: each block of SECTION_SIZE / 2 threads scans SECTION_SIZE elements.
__global__ void Brent_Kung_scan_kernel(const int* X, int* Y, int* S, size_t N) {
    __shared__ int XY[SECTION_SIZE];
    size_t i = 2 * (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    XY[threadIdx.x] = i < N ? X[i] : 0;
    XY[threadIdx.x + blockDim.x] = i + blockDim.x < N ? X[i + blockDim.x] : 0;

    // up
    for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION_SIZE) {
            XY[index] += XY[index - stride];
        }
    }

    // down
    for (unsigned int stride = blockDim.x / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < SECTION_SIZE) {
            XY[index + stride] += XY[index];
        }
    }

    __syncthreads();
    if (i < N) Y[i] = XY[threadIdx.x];
    if (i + blockDim.x < N) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
    if (threadIdx.x == 0 && S != NULL) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}

// Sections 1, 2, 3, ... get the (scanned) sum of the sections before.
__global__ void add_kernel(int* Y, const int* S, size_t N) {
    size_t i = (size_t)(blockIdx.x + 1) * SECTION_SIZE + threadIdx.x;
    int before = S[blockIdx.x];
    if (i < N) Y[i] += before;
    if (i + blockDim.x < N) Y[i + blockDim.x] += before;
}

static void scan_sections(const int* X, int* Y, size_t N) {
    unsigned int sections = (unsigned int)((N + SECTION_SIZE - 1) / SECTION_SIZE);
    if (sections == 1) {
        Brent_Kung_scan_kernel<<<1, SECTION_SIZE / 2>>>(X, Y, NULL, N);
        return;
    }
    int *S, *S_scanned;
    cudaMalloc((void**)&S, sections * sizeof(int));
    cudaMalloc((void**)&S_scanned, sections * sizeof(int));

    Brent_Kung_scan_kernel<<<sections, SECTION_SIZE / 2>>>(X, Y, S, N);
    scan_sections(S, S_scanned, sections);
    add_kernel<<<sections - 1, SECTION_SIZE / 2>>>(Y, S_scanned, N);

    cudaFree(S);
    cudaFree(S_scanned);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan_sections(in, out, n); }

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
