// cause: divergent_barrier line 19
// task: bytes
// The barriers stand in a loop that each thread leaves by its own index, so in the last tile some threads of the block do not reach them.
#include "interface.cuh"

constexpr int TILE = 256;

// The block copies a tile of the input to shared memory; then each warp counts the part of the
// tile that another warp has loaded, to mix the values.
__global__ void tiles(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned char tile[TILE];
    __shared__ unsigned int hist[256];

    const int t = threadIdx.x;
    const int other = (t + TILE / 2) % TILE;
    hist[t] = 0;

    const std::size_t stride = std::size_t(gridDim.x) * TILE;
    for (std::size_t base = std::size_t(blockIdx.x) * TILE; base + t < n; base += stride) {
        tile[t] = in[base + t];
        __syncthreads();
        if (base + other < n) atomicAdd(&hist[tile[other]], 1u);
        __syncthreads();
    }
    __syncthreads();
    atomicAdd(&bins[t], hist[t]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    std::size_t blocks = (n + TILE - 1) / TILE;
    if (blocks > 528) blocks = 528;
    tiles<<<blocks, TILE>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
