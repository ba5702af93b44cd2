// cause: missing_warp_sync line 14
// task: bytes
// A warp clears its own copy and counts at once without __syncwarp(): since Volta lanes need not run in step, so a lane may count in a bin that another has not cleared yet.
#include "interface.cuh"

// a histogram per warp
template <int WARPS>
__global__ void warp_hist(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int copies[WARPS * 256];
    const int lane = threadIdx.x & 31;
    unsigned int* my = copies + (threadIdx.x >> 5) * 256;

    // every warp looks after its own copy: no block-wide barrier needed here
    for (int b = lane; b < 256; b += 32) my[b] = 0;

    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&my[in[i]], 1u);

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        unsigned int total = 0;
        for (int w = 0; w < WARPS; ++w) total += copies[w * 256 + b];
        if (total > 0) atomicAdd(&bins[b], total);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    warp_hist<4><<<128, 4 * 32>>>(in, n, bins);
}

__global__ void fill_zero(unsigned* p, unsigned m) {
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        p[k] = 0;
}

__global__ void scatter_count(const unsigned* v, std::size_t n, unsigned* p) {
    const std::size_t hop = std::size_t(blockDim.x) * gridDim.x;
    std::size_t k = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x;
    while (k < n) {
        atomicAdd(p + v[k], 1u);
        k += hop;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    fill_zero<<<32, 256>>>(bins, bin_count);
    scatter_count<<<200, 192>>>(in, n, bins);
}
