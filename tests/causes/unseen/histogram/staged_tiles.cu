// cause: divergent_barrier line 25
// task: bins
// Threads beyond the end leave the loop alone, and in a partial tile the others wait at a barrier inside it.
#include "interface.cuh"

constexpr unsigned TILE = 256;
constexpr unsigned NWARPS = TILE / 32;
constexpr unsigned ROOM = 10000;

// A tile of values is staged in shared memory. Warp w counts the values v with v % NWARPS == w, so
// that the warps never meet at one counter.
__global__ void ownedBins(const unsigned *in, std::size_t n, unsigned *bins, unsigned bin_count)
{
    __shared__ unsigned stage[TILE];
    extern __shared__ unsigned counts[];

    const unsigned tid = threadIdx.x;
    const unsigned warp = tid / 32, lane = tid % 32;

    for (unsigned b = tid; b < bin_count; b += TILE)
        counts[b] = 0;

    for (std::size_t base = (std::size_t)blockIdx.x * TILE;; base += (std::size_t)gridDim.x * TILE) {
        std::size_t i = base + tid;
        if (i >= n) break;
        stage[tid] = in[i];
        __syncthreads();

        unsigned filled = n - base < TILE ? n - base : TILE;
        for (unsigned k = lane; k < filled; k += 32)
            if (stage[k] % NWARPS == warp)
                atomicAdd(&counts[stage[k]], 1u);
        __syncthreads();
    }
    __syncthreads();

    for (unsigned b = tid; b < bin_count; b += TILE)
        if (counts[b])
            atomicAdd(&bins[b], counts[b]);
}

__global__ void plain(const unsigned *in, std::size_t n, unsigned *bins)
{
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned *in, std::size_t n, unsigned *bins, unsigned bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned));
    if (n == 0)
        return;
    if (bin_count <= ROOM)
        ownedBins<<<12, TILE, bin_count * sizeof(unsigned)>>>(in, n, bins, bin_count);
    else
        plain<<<(n + TILE - 1) / TILE, TILE>>>(in, n, bins);
}
