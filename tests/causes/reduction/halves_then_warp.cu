// cause: missing_barrier line 17 or 19
// task: sum
// The tree begins before the other warps have stored their sums in shared memory; it shows whenever a warp is late.
#include "interface.cuh"

#define THREADS 256
#define MAX_BLOCKS 512

__global__ void sumKernel(const double* in, size_t n, double* out) {
    __shared__ double sh[THREADS];
    int t = threadIdx.x;

    // every thread adds up its own elements first
    double v = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n; i += (size_t)gridDim.x * THREADS)
        v += in[i];
    sh[t] = v;

    for (int s = THREADS / 2; s >= 32; s /= 2) {
        if (t < s) sh[t] += sh[t + s];
        __syncthreads();
    }

    // the last 32 values belong to one warp
    if (t < 32) {
        v = sh[t];
        for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
        if (t == 0) atomicAdd(out, v);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof(double));
    int blocks = (int)((n + THREADS - 1) / THREADS);
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    if (blocks > 0) sumKernel<<<blocks, THREADS>>>(in, n, out);
}

void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
