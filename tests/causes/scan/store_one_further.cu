// cause: missing_bounds_check line 47
// task: exclusive_int
// The thread of the last element stores to out[n], one place beyond the end; it shows for every n.
#include "interface.cuh"

const int T = 256;

// the sum of each tile
__global__ void tileSums(const int* in, size_t n, int* sums) {
    __shared__ int s[T];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * T + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

// sums[b] becomes the sum of all tiles before b
__global__ void scanSums(int* sums, size_t blocks) {
    int running = 0;
    for (size_t b = 0; b < blocks; b++) {
        int here = sums[b];
        sums[b] = running;
        running += here;
    }
}

// The inclusive sum up to i belongs to place i + 1.
__global__ void scanTiles(const int* in, size_t n, const int* before, int* out) {
    __shared__ int s[2][T];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * T + t;
    int from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < T; d *= 2) {
        int to = 1 - from;
        s[to][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = to;
        __syncthreads();
    }
    if (i == 0) out[0] = 0;
    if (i < n) out[i + 1] = before[blockIdx.x] + s[from][t];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    size_t blocks = (n + T - 1) / T;
    int* sums;
    cudaMalloc(&sums, blocks * sizeof(int));
    tileSums<<<blocks, T>>>(in, n, sums);
    scanSums<<<1, 1>>>(sums, blocks);
    scanTiles<<<blocks, T>>>(in, n, sums, out);
    cudaFree(sums);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
