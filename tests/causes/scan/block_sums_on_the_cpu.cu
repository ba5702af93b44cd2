// cause: wrong_copy_direction line 70
// task: exclusive_float
// The scanned sums never get back to the device, because the second copy has the direction of the first.
#include <cstdlib>

#include "interface.cuh"

#define TILE 512

// Step 1: exclusive scan of each tile (Kogge and Stone with two buffers). Every thread takes the
// element before its own; thread 0 takes 0.
__global__ void scanTiles(const float *in, size_t n, float *out, float *sums)
{
    __shared__ float buffer[2][TILE];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * TILE + t;
    int src = 0;

    buffer[src][t] = (t > 0 && i < n) ? in[i - 1] : 0.0f;
    __syncthreads();

    for (int d = 1; d < TILE; d *= 2) {
        int dst = 1 - src;
        if (t >= d)
            buffer[dst][t] = buffer[src][t] + buffer[src][t - d];
        else
            buffer[dst][t] = buffer[src][t];
        src = dst;
        __syncthreads();
    }

    if (i < n)
        out[i] = buffer[src][t];
    if (t == TILE - 1)
        sums[blockIdx.x] = buffer[src][t] + (i < n ? in[i] : 0.0f);
}

// Step 3: add what came before the tile.
__global__ void addSums(float *out, size_t n, const float *sums)
{
    size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void scan_exclusive_float(const float *in, std::size_t n, float *out)
{
    int tiles = (int)((n + TILE - 1) / TILE);
    size_t bytes = tiles * sizeof(float);
    float *d_sums;
    float *h_sums = (float *)malloc(bytes);
    cudaMalloc(&d_sums, bytes);

    scanTiles<<<tiles, TILE>>>(in, n, out, d_sums);

    // Step 2: the few sums of the tiles are scanned on the CPU.
    cudaMemcpy(h_sums, d_sums, bytes, cudaMemcpyDeviceToHost);
    float running = 0.0f;
    for (int k = 0; k < tiles; k++) {
        float sum = h_sums[k];
        h_sums[k] = running;
        running += sum;
    }
    cudaMemcpy(d_sums, h_sums, bytes, cudaMemcpyDeviceToHost);

    addSums<<<tiles, TILE>>>(out, n, d_sums);

    cudaFree(d_sums);
    free(h_sums);
}
