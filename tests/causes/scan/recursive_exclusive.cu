// cause: use_after_free line 42
// task: exclusive_int
// The scanned sums are freed before the kernel that adds them is launched; it shows as soon as there are two tiles.
#include "interface.cuh"

#define TILE 512

__global__ void scanKernel(const int* in, size_t n, int* out, int* sums) {
    __shared__ int s[TILE];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * TILE + t;
    int own = i < n ? in[i] : 0;
    s[t] = own;
    __syncthreads();
    for (int d = 1; d < TILE; d <<= 1) {
        int v = s[t];
        if (t >= d) v += s[t - d];
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    if (i < n) out[i] = t == 0 ? 0 : s[t - 1];
    if (t == TILE - 1) sums[blockIdx.x] = s[t];
}

__global__ void addKernel(int* out, size_t n, const int* offsets) {
    size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

void scan(const int* in, size_t n, int* out) {
    size_t blocks = (n + TILE - 1) / TILE;
    int* sums;
    cudaMalloc(&sums, blocks * sizeof(int));
    scanKernel<<<blocks, TILE>>>(in, n, out, sums);

    // more than one block: scan the sums with the same function
    if (blocks > 1) {
        int* offsets;
        cudaMalloc(&offsets, blocks * sizeof(int));
        scan(sums, blocks, offsets);
        cudaFree(offsets);
        addKernel<<<blocks, TILE>>>(out, n, offsets);
    }
    cudaFree(sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scan(in, n, out);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
