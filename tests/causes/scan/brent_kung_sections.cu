// cause: tree_level_missing line 21
// task: inclusive_int
// The way down starts one level too low, at a quarter of the threads and not of the section; it shows from element 767 of a section on.
#include "interface.cuh"

#define THREADS 512
#define SECTION_SIZE (2 * THREADS)

// Brent-Kung, two elements per thread
__global__ void brentKung(const int* X, size_t n, int* Y, int* S) {
    __shared__ int XY[SECTION_SIZE];
    size_t i = 2 * (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    XY[threadIdx.x] = i < n ? X[i] : 0;
    XY[threadIdx.x + blockDim.x] = i + blockDim.x < n ? X[i + blockDim.x] : 0;

    for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION_SIZE) XY[index] += XY[index - stride];
    }
    for (unsigned int stride = blockDim.x / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index + stride < SECTION_SIZE) XY[index + stride] += XY[index];
    }
    __syncthreads();

    if (i < n) Y[i] = XY[threadIdx.x];
    if (i + blockDim.x < n) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
    if (threadIdx.x == 0) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}

__global__ void addPrevious(int* Y, size_t n, const int* S) {
    size_t i = (size_t)(blockIdx.x + 1) * SECTION_SIZE + threadIdx.x;
    if (i < n) Y[i] += S[blockIdx.x];
    if (i + THREADS < n) Y[i + THREADS] += S[blockIdx.x];
}

static void scan(const int* in, size_t n, int* out) {
    size_t blocks = (n + SECTION_SIZE - 1) / SECTION_SIZE;
    int *S, *scannedS;
    cudaMalloc(&S, blocks * sizeof(int));
    cudaMalloc(&scannedS, blocks * sizeof(int));
    brentKung<<<blocks, THREADS>>>(in, n, out, S);
    if (blocks > 1) {
        scan(S, blocks, scannedS);
        addPrevious<<<blocks - 1, THREADS>>>(out, n, scannedS);
    }
    cudaFree(S);
    cudaFree(scannedS);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
