// cause: missing_warp_sync line 21 or 22
// task: sum
// In the last six steps of the tree a lane reads what another lane has written in the step before, without waiting for it; shows with every n from 2 on.
#include "interface.cuh"

// Reduction of doubles.
//   1. every thread adds up elements that are one grid apart
//   2. a tree in shared memory as long as more than one warp has something to do
//   3. the rest is done by the first warp alone, so that the block needs no more barriers
//   4. one atomicAdd per block

#define BLOCK_SIZE 256
#define MAX_GRID   512

__device__ void finish_in_warp(double* s, int t)
{
    for (int d = 32; d > 0; d /= 2)
    {
        double other = s[t + d];
        __syncwarp();          // everybody has read, now write
        s[t] += other;
    }
}

__global__ void sum_kernel(const double* in, size_t n, double* out)
{
    __shared__ double s[BLOCK_SIZE];
    int t = threadIdx.x;

    // step 1
    double x = 0.0;
    size_t step = (size_t)gridDim.x * BLOCK_SIZE;
    for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + t; i < n; i += step)
    {
        x += in[i];
    }
    s[t] = x;
    __syncthreads();

    // step 2: 256 -> 128 -> 64
    for (int d = BLOCK_SIZE / 2; d >= 64; d /= 2)
    {
        if (t < d)
        {
            s[t] += s[t + d];
        }
        __syncthreads();
    }

    // step 3: 64 -> 1
    if (t < 32)
    {
        finish_in_warp(s, t);
    }

    // step 4
    if (t == 0)
    {
        atomicAdd(out, s[0]);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    size_t grid = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (grid > MAX_GRID) grid = MAX_GRID;

    cudaMemset(out, 0, sizeof(double));
    if (grid > 0)
    {
        sum_kernel<<<(unsigned)grid, BLOCK_SIZE>>>(in, n, out);
    }
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
