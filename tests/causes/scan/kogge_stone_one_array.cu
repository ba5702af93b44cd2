// cause: in_place line 17
// task: inclusive_int
// In a step each thread adds to its element while the neighbour d places on may still have to read it; it shows across warps in every full tile.
#include "interface.cuh"

#define TILE 256

__global__ void scanTile(const int* in, size_t n, int* out, int* sums) {
    __shared__ int s[TILE];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * TILE + t;

    s[t] = (i < n) ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < TILE; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }

    if (i < n) out[i] = s[t];
    if (t == TILE - 1) sums[blockIdx.x] = s[t];
}

// one thread is enough, there are not many sums
__global__ void scanSums(int* sums, int count) {
    int total = 0;
    for (int b = 0; b < count; b++) {
        int x = sums[b];
        sums[b] = total;
        total += x;
    }
}

__global__ void addSums(int* out, size_t n, const int* sums) {
    size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    int blocks = (int)((n + TILE - 1) / TILE);
    int* sums;
    cudaMalloc(&sums, blocks * sizeof(int));
    scanTile<<<blocks, TILE>>>(in, n, out, sums);
    scanSums<<<1, 1>>>(sums, blocks);
    addSums<<<blocks, TILE>>>(out, n, sums);
    cudaFree(sums);
}

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
