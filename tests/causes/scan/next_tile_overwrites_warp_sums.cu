// cause: missing_barrier line 56
// task: inclusive_int
// At the end of a turn of the loop there is no barrier: a fast warp stores its sum of the next tile while others
// still read those of this one.
#include "interface.cuh"

namespace {

const int WARPS = 8;
const int TILE = WARPS * 32;
const int CHUNKS = 64;

__device__ int scan_warp(int v) {
    for (int d = 1; d < 32; d <<= 1) {
        int left = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d) v += left;
    }
    return v;
}

// the sum of each chunk
__global__ void sum_chunks(const int* in, std::size_t n, std::size_t chunk, int* chunk_sum) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    std::size_t end = min(n, (blockIdx.x + 1) * chunk);
    int mine = 0;
    for (std::size_t i = blockIdx.x * chunk + threadIdx.x; i < end; i += TILE) mine += in[i];
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) chunk_sum[blockIdx.x] = total;
}

// each block walks through its chunk, tile after tile
__global__ void scan_chunks(const int* in, std::size_t n, std::size_t chunk, const int* chunk_sum,
                            int* out) {
    __shared__ int warp_sum[WARPS];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    int carry = 0;
    for (int c = 0; c < blockIdx.x; ++c) carry += chunk_sum[c];

    const std::size_t end = min(n, (blockIdx.x + 1) * chunk);
    for (std::size_t tile = blockIdx.x * chunk; tile < end; tile += TILE) {
        const std::size_t i = tile + threadIdx.x;
        int v = scan_warp(i < end ? in[i] : 0);
        if (lane == 31) warp_sum[warp] = v;
        __syncthreads();

        int before = carry;
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before += warp_sum[w];
            carry += warp_sum[w];
        }
        if (i < end) out[i] = before + v;
    }
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* chunk_sum = nullptr;
    if (!chunk_sum) cudaMalloc(&chunk_sum, CHUNKS * sizeof(int));
    const std::size_t chunk = (n + CHUNKS - 1) / CHUNKS;
    sum_chunks<<<CHUNKS, TILE>>>(in, n, chunk, chunk_sum);
    scan_chunks<<<CHUNKS, TILE>>>(in, n, chunk, chunk_sum, out);
}
