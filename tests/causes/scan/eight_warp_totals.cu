// cause: wrong_shuffle_mask line 29
// task: exclusive_int
// only 8 lanes scan the totals of the 8 warps but the mask names all 32, so the shuffle waits for lanes that never come; shows in every case
#include <cstddef>
#include "interface.cuh"

template <int THREADS>
struct BlockScan {
    static constexpr int WARPS = THREADS / 32;
    struct Storage { int totals[WARPS]; };

    template <int WIDTH>
    static __device__ int warp(int x, unsigned mask) {
        int lane = threadIdx.x % 32;
#pragma unroll
        for (int d = 1; d < WIDTH; d <<= 1) {
            int other = __shfl_up_sync(mask, x, d);
            if (lane >= d) x += other;
        }
        return x;
    }

    static __device__ int inclusive(int x, Storage& st) {
        int w = threadIdx.x / 32;
        x = warp<32>(x, 0xffffffff);
        if (threadIdx.x % 32 == 31) st.totals[w] = x;
        __syncthreads();
        if (threadIdx.x < WARPS) {
            st.totals[threadIdx.x] = warp<WARPS>(st.totals[threadIdx.x], 0xffffffff);
        }
        __syncthreads();
        return w > 0 ? x + st.totals[w - 1] : x;
    }
};

using Scan = BlockScan<256>;

__global__ void exclusiveTiles(const int* src, size_t n, int* dst, int* sums) {
    __shared__ Scan::Storage st;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int own = i < n ? src[i] : 0;
    int incl = Scan::inclusive(own, st);
    if (i < n) dst[i] = incl - own;
    if (sums && threadIdx.x == 255) sums[blockIdx.x] = incl;
}

__global__ void addOffsets(int* dst, size_t n, const int* offsets) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) dst[i] += offsets[blockIdx.x];
}

static void scanRec(const int* src, size_t n, int* dst, int* scratch) {
    size_t blocks = (n + 255) / 256;
    if (blocks == 1) {
        exclusiveTiles<<<1, 256>>>(src, n, dst, nullptr);
        return;
    }
    int* sums = scratch;
    int* offsets = scratch + blocks;
    exclusiveTiles<<<(unsigned)blocks, 256>>>(src, n, dst, sums);
    scanRec(sums, blocks, offsets, scratch + 2 * blocks);
    addOffsets<<<(unsigned)blocks, 256>>>(dst, n, offsets);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* scratch = nullptr;
    static size_t size = 0;
    size_t need = n / 64 + 64;
    if (need > size) {
        if (scratch) cudaFree(scratch);
        cudaMalloc(&scratch, need * sizeof(int));
        size = need;
    }
    scanRec(in, n, out, scratch);
}
