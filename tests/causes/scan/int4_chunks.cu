// cause: misaligned line 71
// task: inclusive_int
// a block's share is not rounded up to whole int4s, so that most blocks begin at an address that is no multiple of 16; shows whenever n/32 is not a multiple of 4
#include "interface.cuh"
#include <cuda_runtime.h>
#include <algorithm>

constexpr int GRID = 32;
constexpr int BLOCK = 64;

static __device__ int4 fetch(const int* in, size_t i, size_t end) {
    if (i + 4 <= end) return *reinterpret_cast<const int4*>(in + i);
    int4 q{0, 0, 0, 0};
    if (i + 0 < end) q.x = in[i + 0];
    if (i + 1 < end) q.y = in[i + 1];
    if (i + 2 < end) q.z = in[i + 2];
    return q;
}

__global__ void total_kernel(const int* __restrict__ in, size_t n, size_t share, int* __restrict__ total) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    size_t begin = blockIdx.x * share, end = begin + share < n ? begin + share : n;
    int acc = 0;
    for (size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * BLOCK) {
        int4 q = fetch(in, i, end);
        acc += q.x + q.y + q.z + q.w;
    }
    atomicAdd(&sum, acc);
    __syncthreads();
    if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

__global__ void scan_kernel(const int* __restrict__ in, size_t n, size_t share, const int* __restrict__ total, int* __restrict__ out) {
    __shared__ int first_warp;
    __shared__ int all;
    size_t begin = blockIdx.x * share, end = begin + share < n ? begin + share : n;
    int carry = 0;
    for (int b = 0; b < blockIdx.x; b++) carry += total[b];

    for (size_t base = begin; base < end; base += 4 * BLOCK) {
        size_t i = base + 4 * threadIdx.x;
        int4 q = fetch(in, i, end);
        q.y += q.x;
        q.z += q.y;
        q.w += q.z;
        int x = q.w;
        for (int d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(0xFFFFFFFF, x, d);
            if ((threadIdx.x & 31) >= d) x += y;
        }
        if (threadIdx.x == 31) first_warp = x;
        __syncthreads();
        if (threadIdx.x >= 32) x += first_warp;
        if (threadIdx.x == BLOCK - 1) all = x;
        __syncthreads();
        int before = carry + x - q.w;
        carry += all;
        if (i + 0 < end) out[i + 0] = before + q.x;
        if (i + 1 < end) out[i + 1] = before + q.y;
        if (i + 2 < end) out[i + 2] = before + q.z;
        if (i + 3 < end) out[i + 3] = before + q.w;
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* total = nullptr;
    if (total == nullptr) cudaMalloc((void**)&total, GRID * sizeof(int));
    size_t share = std::max<size_t>((n + GRID - 1) / GRID, 1);
    total_kernel<<<GRID, BLOCK>>>(in, n, share, total);
    scan_kernel<<<GRID, BLOCK>>>(in, n, share, total, out);
}
