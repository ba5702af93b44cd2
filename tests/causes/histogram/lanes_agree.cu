// cause: wrong_shuffle_mask line 14
// task: bins
// The mask names all 32 lanes although in the last round the lanes beyond the end take no part in the match.
#include "interface.cuh"

// Lanes with the same value let one of them count for all.
__global__ void match_and_count(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const unsigned int lane = threadIdx.x % 32;
    const std::size_t warp = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    const std::size_t warps = std::size_t(gridDim.x) * blockDim.x / 32;

    for (std::size_t base = warp * 32; base < n; base += warps * 32) {
        const std::size_t i = base + lane;
        const unsigned int members = 0xffffffffu;
        if (i < n) {
            const unsigned int value = in[i];
            const unsigned int same = __match_any_sync(members, value);
            const unsigned int leader = __ffs(same) - 1;
            if (lane == leader) {
                atomicAdd(&bins[value], static_cast<unsigned int>(__popc(same)));
            }
        }
        __syncwarp();
    }
}

void histogram_bytes(const unsigned char* /*in*/, std::size_t /*n*/, unsigned int* /*bins*/) {
    // TODO
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    match_and_count<<<128, 256>>>(in, n, bins);
}
