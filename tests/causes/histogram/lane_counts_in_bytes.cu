// cause: counter_too_narrow line 7
// task: bytes
// Each lane counts in bytes of its own. When it meets a value more than 255 times, its counter
// starts again from 0.
#include "interface.cuh"

typedef unsigned char Count;

static const int LANES = 32;

// A block is one warp, and every lane has a column of its own, so nobody collides with anybody.
__global__ void columns(const unsigned char* __restrict__ data, size_t n, unsigned int* bins) {
    __shared__ Count table[256][LANES];
    const int lane = threadIdx.x;

    for (int v = 0; v < 256; ++v) table[v][lane] = 0;

    for (size_t i = (size_t)blockIdx.x * LANES + lane; i < n; i += (size_t)gridDim.x * LANES)
        table[data[i]][lane]++;

    __syncwarp();

    // lane k adds up the rows k, k + 32, ...
    for (int v = lane; v < 256; v += LANES) {
        unsigned int total = 0;
        for (int k = 0; k < LANES; ++k) total += table[v][(k + lane) % LANES];
        if (total) atomicAdd(&bins[v], total);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaError_t e = cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (e != cudaSuccess) return;
    int blocks = n < 4096 ? 1 : 96;
    columns<<<blocks, LANES>>>(in, n, bins);
}
