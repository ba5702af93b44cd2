// expect: bytes=accepted
// No atomics while counting: each lane has 8-bit counters of its own in shared memory, emptied
// into 32-bit sums before any of them can exceed 255.
#include "interface.cuh"

// counter[v / 4][lane] holds the counts of values v / 4 * 4 to v / 4 * 4 + 3 in its four bytes.
__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned char counter[64][32][4];
    const unsigned int lane = threadIdx.x;  // the block is one warp
    const std::size_t stride = std::size_t{gridDim.x} * 32;
    std::size_t i = std::size_t{blockIdx.x} * 32 + lane;
    for (std::size_t batch = std::size_t{blockIdx.x} * 32; batch < n; batch += 255 * stride) {
        for (int row = 0; row < 64; ++row)
            for (int k = 0; k < 4; ++k) counter[row][lane][k] = 0;
        for (int k = 0; k < 255 && i < n; ++k, i += stride) ++counter[in[i] / 4][lane][in[i] % 4];
        __syncwarp();
        for (unsigned int v = lane; v < 256; v += 32) {
            unsigned int sum = 0;
            for (unsigned int l = 0; l < 32; ++l) sum += counter[v / 4][(l + lane) % 32][v % 4];
            if (sum > 0) atomicAdd(&bins[v], sum);
        }
        __syncwarp();
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<96, 32>>>(in, n, bins);
}
