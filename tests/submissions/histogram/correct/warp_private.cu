// expect: bytes=accepted
// One histogram per warp in shared memory, merged by the block at the end: warps do not compete
// with each other, only the lanes of one warp do.
#include "interface.cuh"

constexpr int kWarps = 8;

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int of_warp[kWarps][256];
    for (int i = threadIdx.x; i < kWarps * 256; i += blockDim.x) of_warp[i / 256][i % 256] = 0;
    __syncthreads();
    unsigned int* const mine = of_warp[threadIdx.x / 32];
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    unsigned int sum = 0;
    for (int warp = 0; warp < kWarps; ++warp) sum += of_warp[warp][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<64, 32 * kWarps>>>(in, n, bins);
}
