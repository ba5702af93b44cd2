// cause: missing_fence line 26 or 27
// task: inclusive_float
// the flag of a tile is raised with no fence after its prefix is stored, so the next block may see the flag and still read an old prefix; from two tiles on
#include "interface.cuh"

// One-pass scan ("chained"): tile k adds the prefix that tile k - 1 hands on.

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffff;

struct Chain {
    unsigned* ticket;   // next tile that nobody has yet
    int* flag;          // flag[k]: prefix[k] is there
    float* prefix;      // sum of all elements up to the end of tile k

    // waits for the tile before ours
    __device__ float receive(unsigned tile) const {
        if (tile == 0) return 0.0f;
        while (atomicAdd(&flag[tile - 1], 0) == 0) { /* spin */ }
        __threadfence();
        return *(volatile float*)&prefix[tile - 1];
    }

    __device__ void send(unsigned tile, float value) const {
        *(volatile float*)&prefix[tile] = value;
        atomicExch(&flag[tile], 1);
    }
};

__device__ float scanWarp(float v, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float w = __shfl_up_sync(kAll, v, d);
        if (lane >= d) v = w + v;
    }
    return v;
}

__global__ void __launch_bounds__(kThreads)
chainedScan(const float* in, std::size_t n, float* out, Chain chain) {
    __shared__ float warpSum[kWarps];
    __shared__ float carry;
    __shared__ unsigned tile;

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    // Tiles in the order in which blocks start, whatever blockIdx says.
    if (threadIdx.x == 0) tile = atomicAdd(chain.ticket, 1u);
    __syncthreads();

    const std::size_t i = static_cast<std::size_t>(tile) * kThreads + threadIdx.x;
    float v = scanWarp(i < n ? in[i] : 0.0f, lane);
    if (lane == 31) warpSum[warp] = v;
    __syncthreads();

    if (warp == 0) {
        // 32 warps, 32 lanes: fits exactly
        float s = scanWarp(warpSum[lane], lane);
        warpSum[lane] = s;
        if (lane == 31) {
            float before = chain.receive(tile);
            chain.send(tile, before + s);
            carry = before;
        }
    }
    __syncthreads();

    if (warp > 0) v = warpSum[warp - 1] + v;
    if (i < n) out[i] = carry + v;
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static unsigned* mem = nullptr;
    static std::size_t allocated = 0;

    const std::size_t tiles = (n + kThreads - 1) / kThreads;
    const std::size_t bytes = (1 + 2 * tiles) * sizeof(unsigned);
    if (bytes > allocated) {
        if (mem != nullptr) cudaFree(mem);
        cudaMalloc(&mem, bytes);
        allocated = bytes;
    }
    cudaMemset(mem, 0, (1 + tiles) * sizeof(unsigned));   // ticket and flags

    Chain chain;
    chain.ticket = mem;
    chain.flag = reinterpret_cast<int*>(mem + 1);
    chain.prefix = reinterpret_cast<float*>(mem + 1 + tiles);
    chainedScan<<<static_cast<unsigned>(tiles), kThreads>>>(in, n, out, chain);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
