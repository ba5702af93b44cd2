// cause: state_kept_between_calls line 50
// task: exclusive_float
// The counter of finished blocks goes on from the call before, so that from the second call on no block takes itself for the last.
#include "interface.cuh"

// Exclusive scan of floats.
//   kernel 1: every block reduces its tile. The block that finishes last (there is a counter for
//             that) scans the sums of the tiles, so I save a launch.
//   kernel 2: every block scans its tile, starting from its offset.

constexpr int TPB = 256;        // threads per block
constexpr int EPT = 4;          // elements per thread
constexpr int TILE = TPB * EPT;

__device__ unsigned blocks_finished = 0;

// Exclusive scan of one value per thread; *total is the sum of all. Hillis-Steele.
__device__ float scan_block(float mine, float* total) {
    __shared__ float s[TPB];
    const int t = threadIdx.x;
    s[t] = mine;
    __syncthreads();
    for (int dist = 1; dist < TPB; dist <<= 1) {
        const float left = t >= dist ? s[t - dist] : 0.f;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    const float result = t > 0 ? s[t - 1] : 0.f;
    *total = s[TPB - 1];
    __syncthreads();  // s is used again by the next call
    return result;
}

__global__ void tile_offsets(const float* in, std::size_t n, volatile float* sums) {
    __shared__ bool last;
    const std::size_t base = std::size_t(blockIdx.x) * TILE;

    float mine = 0.f;
    for (int e = 0; e < EPT; ++e) {
        const std::size_t i = base + e * TPB + threadIdx.x;
        if (i < n) mine += in[i];
    }
    float total;
    scan_block(mine, &total);

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(&blocks_finished, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    // all sums are there: TPB of them at a time
    float carry = 0.f;
    for (unsigned k = 0; k < gridDim.x; k += TPB) {
        const unsigned b = k + threadIdx.x;
        const float s = b < gridDim.x ? sums[b] : 0.f;
        const float before = scan_block(s, &total);
        if (b < gridDim.x) sums[b] = carry + before;
        carry += total;
    }
}

__global__ void scan_tiles(const float* in, std::size_t n, float* out, const float* offsets) {
    const std::size_t base = std::size_t(blockIdx.x) * TILE + threadIdx.x * EPT;
    float v[EPT], mine = 0.f, total;
    for (int e = 0; e < EPT; ++e) {
        v[e] = base + e < n ? in[base + e] : 0.f;
        mine += v[e];
    }
    float run = offsets[blockIdx.x] + scan_block(mine, &total);
    for (int e = 0; e < EPT; ++e) {
        if (base + e < n) out[base + e] = run;
        run += v[e];
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static unsigned room = 0;
    const unsigned blocks = unsigned((n + TILE - 1) / TILE);
    if (room < blocks) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(float));
        room = blocks;
    }
    tile_offsets<<<blocks, TPB>>>(in, n, sums);
    scan_tiles<<<blocks, TPB>>>(in, n, out, sums);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
