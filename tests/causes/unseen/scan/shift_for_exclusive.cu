// cause: in_place line 35
// task: exclusive_int
// The inclusive results are moved one place up inside the same shared array, so a warp can read a neighbour's element that has already been moved; shows in every block with more than one warp.
#include "interface.cuh"

#include <utility>

namespace {

constexpr int BLOCK = 512;

__global__ void scan_block(const int* in, std::size_t n, int* out, int* sums)
{
    __shared__ int tile[2][BLOCK];
    __shared__ int shifted[BLOCK];
    const int t = threadIdx.x;
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + t;

    int p = 0;
    tile[0][t] = i < n ? in[i] : 0;
    __syncthreads();

    // Hillis/Steele with two buffers
    for (int d = 1; d < BLOCK; d <<= 1) {
        tile[1 - p][t] = t >= d ? tile[p][t] + tile[p][t - d] : tile[p][t];
        p = 1 - p;
        __syncthreads();
    }
    shifted[t] = tile[p][t];
    if (t == BLOCK - 1 && sums != nullptr)
        sums[blockIdx.x] = shifted[t];
    __syncthreads();

    // inclusive -> exclusive
    shifted[t] = t > 0 ? shifted[t - 1] : 0;
    __syncthreads();

    if (i < n)
        out[i] = shifted[t];
}

__global__ void add_base(int* out, std::size_t n, const int* base)
{
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n)
        out[i] += base[blockIdx.x];
}

void exclusive(const int* in, std::size_t n, int* out)
{
    const std::size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scan_block<<<1, BLOCK>>>(in, n, out, nullptr);
        return;
    }
    int* sums = nullptr;
    int* bases = nullptr;
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&bases, blocks * sizeof(int));
    scan_block<<<unsigned(blocks), BLOCK>>>(in, n, out, sums);
    exclusive(sums, blocks, bases);
    add_base<<<unsigned(blocks), BLOCK>>>(out, n, bases);
    cudaFree(sums);
    cudaFree(bases);
}

}  // namespace

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    exclusive(in, n, out);
}
