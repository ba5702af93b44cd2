// cause: tree_level_missing line 22
// task: inclusive_int
// The way down starts at a quarter of the number of threads, but a section has twice as many elements as threads, so its widest level is left out; shows from the third quarter of a section on (n above 768 elements).
#include "interface.cuh"

#define SECTION_SIZE 1024

__global__ void Brent_Kung_kernel(const int *X, int *Y, int *S, unsigned long long N)
{
    __shared__ int XY[SECTION_SIZE];
    unsigned long long i = 2ULL * blockIdx.x * blockDim.x + threadIdx.x;

    XY[threadIdx.x] = i < N ? X[i] : 0;
    XY[threadIdx.x + blockDim.x] = i + blockDim.x < N ? X[i + blockDim.x] : 0;

    for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION_SIZE)
            XY[index] += XY[index - stride];
    }
    for (unsigned int stride = blockDim.x / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < SECTION_SIZE)
            XY[index + stride] += XY[index];
    }
    __syncthreads();

    if (i < N) Y[i] = XY[threadIdx.x];
    if (i + blockDim.x < N) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
    if (S != NULL && threadIdx.x == 0) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}

__global__ void Add_kernel(int *Y, const int *S, unsigned long long N)
{
    unsigned long long base = (unsigned long long)blockIdx.x * SECTION_SIZE;
    if (blockIdx.x == 0) return;
    int s = S[blockIdx.x - 1];
    for (unsigned int k = threadIdx.x; k < SECTION_SIZE; k += blockDim.x)
        if (base + k < N) Y[base + k] += s;
}

void scan_inclusive_int(const int *in, std::size_t n, int *out)
{
    unsigned int sections = (unsigned int)((n + SECTION_SIZE - 1) / SECTION_SIZE);
    int *S, *T;

    if (sections == 1) {
        Brent_Kung_kernel<<<1, SECTION_SIZE / 2>>>(in, out, NULL, n);
        return;
    }
    cudaMalloc((void **)&S, sections * sizeof(int));
    cudaMalloc((void **)&T, sections * sizeof(int));
    Brent_Kung_kernel<<<sections, SECTION_SIZE / 2>>>(in, out, S, n);
    scan_inclusive_int(S, sections, T);
    Add_kernel<<<sections, SECTION_SIZE / 2>>>(out, T, n);
    cudaFree(S);
    cudaFree(T);
}
