// cause: wrong_copy_direction line 65
// task: exclusive_int
// The scanned sums are copied back with the direction from device to host, so the copy fails and the kernel adds the unscanned ones; it shows in each call.
#include "interface.cuh"
#include <vector>

#define BLOCK_SIZE 128
#define PER_THREAD 4
#define TILE (BLOCK_SIZE * PER_THREAD)

// each thread takes PER_THREAD neighbouring elements
__global__ void scanTile(const int* in, size_t n, int* out, int* sums) {
    __shared__ int s[BLOCK_SIZE];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * TILE + t * PER_THREAD;

    int x[PER_THREAD];
    int sum = 0;
    for (int k = 0; k < PER_THREAD; k++) {
        x[k] = first + k < n ? in[first + k] : 0;
        sum += x[k];
    }
    s[t] = sum;
    __syncthreads();

    for (int d = 1; d < BLOCK_SIZE; d *= 2) {
        int left = 0;
        if (t >= d) left = s[t - d];
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }

    int run = s[t] - sum;
    for (int k = 0; k < PER_THREAD; k++) {
        if (first + k < n) out[first + k] = run;
        run += x[k];
    }
    if (t == BLOCK_SIZE - 1) sums[blockIdx.x] = s[t];
}

__global__ void addSum(int* out, size_t n, const int* sums) {
    size_t base = (size_t)blockIdx.x * TILE;
    for (int k = threadIdx.x; k < TILE; k += BLOCK_SIZE)
        if (base + k < n) out[base + k] += sums[blockIdx.x];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    size_t blocks = (n + TILE - 1) / TILE;
    size_t bytes = blocks * sizeof(int);
    std::vector<int> host(blocks);
    int* sums;
    cudaMalloc(&sums, bytes);

    scanTile<<<blocks, BLOCK_SIZE>>>(in, n, out, sums);

    // the sums are few: scan them on the CPU
    cudaMemcpy(host.data(), sums, bytes, cudaMemcpyDeviceToHost);
    unsigned int total = 0;
    for (size_t b = 0; b < blocks; b++) {
        unsigned int v = host[b];
        host[b] = (int)total;
        total += v;
    }
    cudaMemcpy(sums, host.data(), bytes, cudaMemcpyDeviceToHost);

    addSum<<<blocks, BLOCK_SIZE>>>(out, n, sums);
    cudaFree(sums);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
