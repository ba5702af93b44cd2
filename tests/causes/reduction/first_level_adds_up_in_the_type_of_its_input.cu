// cause: accumulator_too_narrow line 40
// task: nested
// The template adds up in its element type, which on the first level is int: blocks of large numbers wrap around at 2^31, small numbers come out right.
#include "interface.cuh"

// Level by level: a grid leaves one sum per block, and its tail is the same kernel on those sums.
// The first level reads ints, all others read the sums of the level below.

#define LEVEL_THREADS 256
#define PER_THREAD 8
#define TILE (LEVEL_THREADS * PER_THREAD)

__host__ __device__ inline unsigned tiles(std::size_t n) {
    return n == 0 ? 1u : static_cast<unsigned>((n + TILE - 1) / TILE);
}

template <class T> __device__ T add_warp(T v) {
    for (int offset = 16; offset != 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

// The sum over the block, in all threads.
template <class T> __device__ T add_block(T v) {
    __shared__ T of_warp[LEVEL_THREADS / 32];
    v = add_warp(v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < LEVEL_THREADS / 32; ++w) v += of_warp[w];
    return v;
}

template <class T>
__global__ void level(const T* in, std::size_t n, long long* sums, long long* spare,
                      long long* out) {
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * TILE;
    const std::size_t end = begin + TILE < n ? begin + TILE : n;

    T mine = 0;
    for (std::size_t i = begin + threadIdx.x; i < end; i += LEVEL_THREADS) mine += in[i];
    const auto total = add_block(mine);

    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = total;
        return;
    }
    sums[blockIdx.x] = total;
    if (blockIdx.x == 0) {
        // One thread of the grid launches what comes after all of its blocks. The two buffers
        // change places: the next level reads `sums`.
        const std::size_t left = gridDim.x;
        level<long long><<<tiles(left), LEVEL_THREADS, 0, cudaStreamTailLaunch>>>(
            sums, left, spare, sums, out);
    }
}

// Two buffers, each large enough for the sums of the first level. They stay for the next call.
static long long* buffers(std::size_t sums) {
    static long long* memory = nullptr;
    static std::size_t room = 0;
    if (sums > room) {
        cudaFree(memory);
        cudaMalloc(&memory, 2 * sums * sizeof(long long));
        room = sums;
    }
    return memory;
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    const unsigned blocks = tiles(n);
    long long* first = buffers(blocks);
    long long* second = first + blocks;
    level<int><<<blocks, LEVEL_THREADS>>>(in, n, first, second, out);
}
