// cause: elements_ignored line 67
// task: inclusive_int
// The one block that scans the sums takes one sum per thread, so sums beyond the 256th are never scanned: wrong for n > 262144.
#include <cstdio>
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// slow but simple: one block walks along the array, with a carry
template <class T>
__global__ void __launch_bounds__(1024) one_block(const T* in, std::size_t n, T* out, bool exclusive) {
    __shared__ T warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T carry = 0;
    for (std::size_t base = 0; base < n; base += 1024) {
        const std::size_t i = base + threadIdx.x;
        T v = i < n ? in[i] : T(0);
        for (int d = 1; d < 32; d *= 2) {
            const T u = __shfl_up_sync(0xffffffff, v, d);
            if (lane >= d) v += u;
        }
        if (lane == 31) warps[warp] = v;
        __syncthreads();
        T before = carry;
        for (int w = 0; w < 32; ++w) {
            if (w < warp) before += warps[w];
            carry += warps[w];
        }
        const T left = __shfl_up_sync(0xffffffff, v, 1);
        if (i < n) out[i] = !exclusive ? before + v : lane > 0 ? before + left : before;
        __syncthreads();
    }
}

// 128 threads, eight neighbouring elements each, in registers
__global__ void scanI_eight(const int* in, std::size_t n, int* out, int* sums) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ int of_warp[4];
    const std::size_t first = (std::size_t(blockIdx.x) * 128 + threadIdx.x) * 8;
    int r[8];
    int run = 0;
    for (int k = 0; k < 8; ++k) {
        run += first + k < n ? in[first + k] : 0;
        r[k] = run;
    }
    int v = run;
    for (unsigned d = 1; d < 32; d *= 2) {
        const int left = warp.shfl_up(v, d);
        if (warp.thread_rank() >= d) v += left;
    }
    if (warp.thread_rank() == 31) of_warp[threadIdx.x / 32] = v;
    block.sync();
    int before = warp.shfl_up(v, 1);
    if (warp.thread_rank() == 0) before = 0;
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) before += of_warp[w];
    for (int k = 0; k < 8; ++k)
        if (first + k < n) out[first + k] = before + r[k];
    if (threadIdx.x == 127) sums[blockIdx.x] = before + run;
}

// exclusive scan of the sums in one block
__global__ void scanI_scan_sums(int* sums, unsigned blocks) {
    __shared__ int part[256];
    const unsigned t = threadIdx.x;
    const unsigned each = 1;
    int mine = 0;
    for (unsigned i = t * each; i < (t + 1) * each && i < blocks; ++i) mine += sums[i];
    part[t] = mine;
    __syncthreads();
    if (t == 0) {
        int run = 0;
        for (unsigned k = 0; k < 256; ++k) {
            const int x = part[k];
            part[k] = run;
            run += x;
        }
    }
    __syncthreads();
    int run = part[t];
    for (unsigned i = t * each; i < (t + 1) * each && i < blocks; ++i) {
        const int x = sums[i];
        sums[i] = run;
        run += x;
    }
}

__global__ void scanI_add(int* out, std::size_t n, const int* sums) {
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) {
        const std::size_t i = std::size_t(blockIdx.x) * 1024 + k;
        if (i < n) out[i] += sums[blockIdx.x];
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static unsigned room = 0;
    const unsigned blocks = unsigned((n + 1023) / 1024);
    if (blocks > room) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(int));
        room = blocks;
    }
    scanI_eight<<<blocks, 128>>>(in, n, out, sums);
    scanI_scan_sums<<<1, 256>>>(sums, blocks);
    scanI_add<<<blocks, 256>>>(out, n, sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}
