// cause: wrong_copy_direction line 107
// task: exclusive_float
// The sums of the chunks are scanned on the host; the copy that should bring the offsets back to the device is told device to host.
#include "interface.cuh"

#include <vector>

// Reduce, then scan: (1) each block adds up its chunk, (2) the few sums are scanned on the host, which
// is not worth a kernel, (3) each block scans its chunk, starting from its offset. The input is read
// twice, the output written once.

typedef unsigned int lanes_t;

static constexpr int TPB = 256;
static constexpr int ITEMS = 4;
static constexpr int CHUNK_ROUNDS = 4;
static constexpr std::size_t ROUND = TPB * ITEMS;
static constexpr std::size_t CHUNK = ROUND * CHUNK_ROUNDS;
static constexpr lanes_t ALL = ~lanes_t{0};

#define CUDA_OK(call)                     \
    do {                                  \
        const cudaError_t err = (call);   \
        if (err != cudaSuccess) return;   \
    } while (0)

__device__ float4 load4(const float* in, std::size_t i, std::size_t n) {
    if (i + 4 <= n) return *reinterpret_cast<const float4*>(in + i);
    float4 q = make_float4(0, 0, 0, 0);
    if (i < n) q.x = in[i];
    if (i + 1 < n) q.y = in[i + 1];
    if (i + 2 < n) q.z = in[i + 2];
    return q;
}

// Exclusive scan over the block; *sum is the sum over all of its threads.
__device__ float block_exclusive(float x, float* sum) {
    __shared__ float warp_sum[TPB / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float incl = x;
    for (int d = 1; d < 32; d *= 2) {
        const float left = __shfl_up_sync(ALL, incl, d);
        if (lane >= d) incl += left;
    }
    float excl = __shfl_up_sync(ALL, incl, 1);
    if (lane == 0) excl = 0;
    __syncthreads();  // the last round may still be reading
    if (lane == 31) warp_sum[warp] = incl;
    __syncthreads();
    float before = 0, all = 0;
    for (int w = 0; w < TPB / 32; ++w) {
        if (w == warp) before = all;
        all += warp_sum[w];
    }
    *sum = all;
    return before + excl;
}

__global__ void chunk_sums(const float* in, std::size_t n, float* sums) {
    float mine = 0;
    for (int r = 0; r < CHUNK_ROUNDS; ++r) {
        const float4 q = load4(in, blockIdx.x * CHUNK + r * ROUND + threadIdx.x * ITEMS, n);
        mine += (q.x + q.y) + (q.z + q.w);
    }
    float all;
    block_exclusive(mine, &all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

__global__ void scan_chunks(const float* in, std::size_t n, const float* offsets, float* out) {
    float carry = offsets[blockIdx.x];
    for (int r = 0; r < CHUNK_ROUNDS; ++r) {
        const std::size_t i = blockIdx.x * CHUNK + r * ROUND + threadIdx.x * ITEMS;
        const float4 q = load4(in, i, n);
        const float xy = q.x + q.y, xyz = xy + q.z;
        float all;
        const float start = carry + block_exclusive(xyz + q.w, &all);
        if (i < n) out[i] = start;
        if (i + 1 < n) out[i + 1] = start + q.x;
        if (i + 2 < n) out[i + 2] = start + xy;
        if (i + 3 < n) out[i + 3] = start + xyz;
        carry += all;
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* chunks = nullptr;
    static std::size_t room = 0;
    const std::size_t count = (n + CHUNK - 1) / CHUNK;
    if (count > room) {
        cudaFree(chunks);
        CUDA_OK(cudaMalloc(&chunks, count * sizeof(float)));
        room = count;
    }
    const unsigned grid = static_cast<unsigned>(count);
    const std::size_t bytes = count * sizeof(float);
    std::vector<float> host(count);

    chunk_sums<<<grid, TPB>>>(in, n, chunks);
    CUDA_OK(cudaMemcpy(host.data(), chunks, bytes, cudaMemcpyDeviceToHost));
    float before = 0;
    for (float& h : host) {
        const float sum = h;
        h = before;
        before += sum;
    }
    CUDA_OK(cudaMemcpy(chunks, host.data(), bytes, cudaMemcpyDeviceToHost));
    scan_chunks<<<grid, TPB>>>(in, n, chunks, out);
}
