// cause: in_place line 20
// task: inclusive_int
// Each thread adds to its element while the thread for a later place may still have to read the old value: there is one barrier per step and one array.
#include "interface.cuh"

#define BLOCK 256

// Kogge and Stone in one block
__global__ void scanBlocks(const int *in, size_t n, int *out, int *sums)
{
    __shared__ int temp[BLOCK];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;

    temp[t] = (i < n) ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < BLOCK; d *= 2) {
        if (t >= d)
            temp[t] += temp[t - d];
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
    if (t == BLOCK - 1 && sums != NULL) sums[blockIdx.x] = temp[t];
}

// each block adds the sum of all blocks before it
__global__ void addSums(int *out, size_t n, const int *sums)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scanBlocks<<<1, BLOCK>>>(in, n, out, NULL);
        return;
    }

    int *sums, *scanned;
    cudaMalloc((void **)&sums, blocks * sizeof(int));
    cudaMalloc((void **)&scanned, blocks * sizeof(int));

    scanBlocks<<<blocks, BLOCK>>>(in, n, out, sums);
    scan_inclusive_int(sums, blocks, scanned);      // recursion: the sums are an array again
    addSums<<<blocks, BLOCK>>>(out, n, scanned);

    cudaFree(sums);
    cudaFree(scanned);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    // TODO
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    // TODO
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    // TODO
}
