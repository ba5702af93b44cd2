// cause: array_too_small line 6 or 7
// task: bytes
// There are rows for eight warps, and the block has sixteen; shows when the ninth warp of a block has data.
#include "interface.cuh"

const int N_WARPS = 8;
const int BLOCK_DIM = 512;

struct WarpHistograms {
    unsigned int row[N_WARPS][256];

    __device__ void clear() {
        for (int i = threadIdx.x; i < (int)(sizeof(row) / sizeof(unsigned int)); i += blockDim.x)
            (&row[0][0])[i] = 0;
    }
    __device__ void add(unsigned char v) { atomicAdd(&row[threadIdx.x >> 5][v], 1); }
    __device__ unsigned int sum(int v) const {
        unsigned int s = 0;
        for (const auto& r : row) s += r[v];
        return s;
    }
};

__global__ void k_hist(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ WarpHistograms wh;
    wh.clear();
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * BLOCK_DIM + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK_DIM)
        wh.add(in[i]);
    __syncthreads();
    if (threadIdx.x < 256) {
        unsigned int s = wh.sum(threadIdx.x);
        if (s) atomicAdd(bins + threadIdx.x, s);
    }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n > 0) k_hist<<<40, BLOCK_DIM>>>(in, n, bins);
}
