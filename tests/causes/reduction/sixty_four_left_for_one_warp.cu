// cause: tree_level_missing line 34 or 28
// task: nested
// the loop leaves 64 sums, the warp adds up only the first 32 of them: every block loses what lies in the second half
#include "interface.cuh"

typedef long long i64;

constexpr unsigned kThreads = 256;
constexpr unsigned kPerThread = 4;
constexpr unsigned kTile = kThreads * kPerThread;

__host__ __device__ inline std::size_t tiles_of(std::size_t n) {
    return n == 0 ? 1 : (n + kTile - 1) / kTile;
}

// Where a level reads and where it writes. The sums of a level are the input of the next one.
struct Buffers {
    i64* now;
    i64* next;
    __device__ Buffers swapped() const { return Buffers{next, now}; }
};

__device__ i64 block_sum(i64 v) {
    __shared__ i64 s[kThreads];
    const unsigned t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (unsigned d = kThreads / 2; d > 32; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    // the last warp does without barriers
    if (t < 32) {
        v = s[t];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    }
    return v;  // of thread 0
}

// One level of the tree: a tile becomes one number. T is int in the first level only.
template <class T>
__global__ void level(const T* in, std::size_t n, Buffers b, i64* out) {
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile;
    i64 sum = 0;
    for (unsigned k = 0; k < kPerThread; ++k) {
        const std::size_t i = begin + k * kThreads + threadIdx.x;
        if (i < n) sum += in[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = sum;
        return;
    }
    b.next[blockIdx.x] = sum;
    if (blockIdx.x == 0) {
        const std::size_t left = gridDim.x;
        level<i64><<<static_cast<unsigned>(tiles_of(left)), kThreads, 0, cudaStreamTailLaunch>>>(
            b.next, left, b.swapped(), out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static i64* memory = nullptr;
    static std::size_t room = 0;
    const std::size_t tiles = tiles_of(n);
    if (tiles > room) {
        cudaFree(memory);
        cudaMalloc(&memory, 2 * tiles * sizeof(i64));
        room = tiles;
    }
    const Buffers b{memory + tiles, memory};
    level<int><<<static_cast<unsigned>(tiles), kThreads>>>(in, n, b, out);
}
