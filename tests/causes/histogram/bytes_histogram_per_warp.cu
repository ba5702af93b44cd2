// cause: missing_warp_sync line 18 or 19
// task: bytes
// The lanes clear their warp's histogram together, but start to count without waiting for each other, so another lane's clearing can wipe out counts.
#include "interface.cuh"

template <int Warps>
__global__ void per_warp(const unsigned char* __restrict__ data, std::size_t n,
                         unsigned int* __restrict__ bins) {
    __shared__ unsigned int hist[Warps][256];

    const unsigned lane = threadIdx.x % 32u;
    const unsigned warp = threadIdx.x / 32u;
    unsigned int* const own = hist[warp];

    // Nobody else touches the histogram of this warp until the merge,
    // so the block does not have to stop here.
#pragma unroll
    for (unsigned b = lane; b < 256; b += 32) own[b] = 0;

    std::size_t i = (static_cast<std::size_t>(blockIdx.x) * Warps + warp) * 32 + lane;
    for (; i < n; i += static_cast<std::size_t>(gridDim.x) * Warps * 32) atomicAdd(&own[data[i]], 1u);

    __syncthreads();

    for (unsigned b = threadIdx.x; b < 256; b += Warps * 32) {
        unsigned int total = 0;
#pragma unroll
        for (int w = 0; w < Warps; ++w) total += hist[w][b];
        if (total != 0) atomicAdd(&bins[b], total);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    constexpr int warps = 8;
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 0) return;
    std::size_t blocks = (n + 32 * warps - 1) / (32 * warps);
    per_warp<warps><<<blocks < 264 ? static_cast<unsigned>(blocks) : 264u, 32 * warps>>>(in, n, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {}
