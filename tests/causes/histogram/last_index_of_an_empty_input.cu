// cause: unsigned_index line 45
// task: bins
// With n = 0 the last index n - 1 is 2^64 - 1, and the loop reads far beyond the input.
#include "interface.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define MAX_BINS 12288

// One histogram for each warp of the block.
__global__ void bytes_kernel(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int part[WARPS][256];
    for (int k = threadIdx.x; k < WARPS * 256; k += THREADS) part[k / 256][k % 256] = 0;
    __syncthreads();

    unsigned int* my = part[threadIdx.x / 32];
    const uint4* in16 = (const uint4*)in;
    const size_t n16 = n / 16;
    const size_t id = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (size_t i = id; i < n16; i += (size_t)gridDim.x * THREADS) {
        const uint4 v = in16[i];
        const unsigned int w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) {
            atomicAdd(&my[w[k] & 255], 1);
            atomicAdd(&my[(w[k] >> 8) & 255], 1);
            atomicAdd(&my[(w[k] >> 16) & 255], 1);
            atomicAdd(&my[w[k] >> 24], 1);
        }
    }
    // what does not fill 16 bytes
    if (id < n % 16) atomicAdd(&my[in[n16 * 16 + id]], 1);
    __syncthreads();

    unsigned int sum = 0;
    for (int w = 0; w < WARPS; w++) sum += part[w][threadIdx.x];
    if (sum > 0) atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void bins_kernel(const unsigned int* in, size_t n, unsigned int* bins,
                            unsigned int bin_count) {
    extern __shared__ unsigned int part[];
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) part[b] = 0;
    __syncthreads();
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i <= n - 1; i += stride) {
        atomicAdd(&part[in[i]], 1);
    }
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
        if (part[b] > 0) atomicAdd(&bins[b], part[b]);
    }
}

__global__ void many_bins_kernel(const unsigned int* in, size_t n, unsigned int* bins) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride) {
        atomicAdd(bins + in[k], 1);
    }
}

static int blocks_for(size_t n, size_t per_block, int most) {
    size_t blocks = (n + per_block - 1) / per_block;
    if (blocks < 1) blocks = 1;
    return blocks > (size_t)most ? most : (int)blocks;
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    bytes_kernel<<<blocks_for(n, THREADS * 64, 1056), THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    const size_t bytes = bin_count * sizeof(unsigned int);
    cudaMemset(bins, 0, bytes);
    if (bin_count <= MAX_BINS) {
        bins_kernel<<<blocks_for(n, 8192, 264), 1024, bytes>>>(in, n, bins, bin_count);
    } else {
        many_bins_kernel<<<blocks_for(n, 1024, 1056), 1024>>>(in, n, bins);
    }
}
