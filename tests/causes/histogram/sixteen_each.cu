// cause: grid_too_small line 33
// task: bytes
// The number of blocks is rounded down, and no thread takes more than its 16 bytes; shows when n is no multiple of 4096 and above 4096.
#include "interface.cuh"
#include <algorithm>

using u32 = unsigned int;
using u8 = unsigned char;

constexpr u32 kBlock = 256;
constexpr u32 kPerThread = 16;
constexpr u32 kPerBlock = kBlock * kPerThread;

__global__ void tile_histogram(const u8* in, std::size_t n, u32* bins) {
    __shared__ u32 h[256];
    const u32 t = threadIdx.x;
    h[t] = 0;
    __syncthreads();

    const std::size_t start = std::size_t{blockIdx.x} * kPerBlock;
#pragma unroll
    for (u32 k = 0; k < kPerThread; ++k) {
        const std::size_t i = start + k * kBlock + t;
        if (i < n) atomicAdd(&h[in[i]], 1u);
    }
    __syncthreads();
    if (h[t] != 0) atomicAdd(&bins[t], h[t]);
}

void histogram_bytes(const u8* in, std::size_t n, u32* bins) {
    cudaMemset(bins, 0, 256 * sizeof(u32));
    if (n == 0) return;
    const std::size_t blocks = std::max<std::size_t>(1, n / kPerBlock);
    tile_histogram<<<static_cast<u32>(blocks), kBlock>>>(in, n, bins);
}
