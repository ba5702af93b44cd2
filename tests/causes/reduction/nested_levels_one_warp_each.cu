// cause: in_place line 27
// task: nested
// The next level gets the same array for what it reads and what it writes, so a block overwrites a partial sum that another block has yet to read; shows from the level on that has more than one block, n > 1024.
#include "interface.cuh"

using ll = long long;

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

// One warp per block. Each level leaves one sum per block in `sums`, the last one leaves it in `out`.
template <typename T>
__global__ void level(const T* in, std::size_t n, ll* sums, ll* out) {
    const std::size_t i = std::size_t(blockIdx.x) * 32 + threadIdx.x;
    ll v = i < n ? in[i] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);

    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = v;
        return;
    }
    sums[blockIdx.x] = v;
    if (blockIdx.x == 0) {
        const unsigned m = gridDim.x;
        level<ll><<<(m + 31) / 32, 32, 0, cudaStreamTailLaunch>>>(sums, m, sums, out);
    }
}

void reduce_nested(const int* in, std::size_t n, ll* out) {
    static ll* scratch = nullptr;
    static std::size_t room = 0;
    const std::size_t blocks = n == 0 ? 1 : (n + 31) / 32;
    if (room < 2 * blocks) {
        cudaFree(scratch);
        room = 2 * blocks;
        cudaMalloc(&scratch, room * sizeof(ll));
    }
    level<int><<<unsigned(blocks), 32>>>(in, n, scratch, out);
}
