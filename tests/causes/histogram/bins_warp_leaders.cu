// cause: size_in_elements line 36
// task: bins
// cudaMemset gets the number of bins where it wants bytes, so three quarters of the bins keep their garbage.
#include "interface.cuh"

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

/*
 * Lanes of a warp that hold the same value find each other with __match_any_sync; the lowest one
 * counts for all of them. One atomic per different value in the warp.
 */
__global__ void kernel_bins(const unsigned int* in, std::size_t n, unsigned int* bins)
{
    const unsigned int lane = threadIdx.x & 31;
    const std::size_t stride = std::size_t(blockDim.x) * gridDim.x;

    for (std::size_t base = std::size_t(blockIdx.x) * blockDim.x + (threadIdx.x - lane); base < n;
         base += stride) {
        const std::size_t i = base + lane;
        const unsigned int active = __ballot_sync(0xffffffffu, i < n);
        if (i < n) {
            const unsigned int v = in[i];
            const unsigned int peers = __match_any_sync(active, v);
            if (lane == __ffs(peers) - 1u)
                atomicAdd(&bins[v], (unsigned int)__popc(peers));
        }
        __syncwarp();
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count);
    const unsigned int threads = 256;
    const unsigned int blocks = n < 100 * threads ? (unsigned int)(n / threads) + 1 : 100;
    kernel_bins<<<blocks, threads>>>(in, n, bins);
}
