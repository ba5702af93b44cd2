// cause: wrong_shuffle_mask line 28
// task: inclusive_int
// Only eight lanes come to the shuffles over the sums of the warps, but their mask names all 32; shows with every n.
#include "interface.cuh"

#define FULL 0xffffffffu

constexpr int kWarps = 8;
constexpr int kBlock = 32 * kWarps;

// inclusive scan of a block; `sums` gets the total of the block
__global__ void scan_tiles(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int warp_total[kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;

    int x = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(FULL, x, d);
        if (lane >= d) x += y;
    }
    if (lane == 31) warp_total[warp] = x;
    __syncthreads();

    if (threadIdx.x < kWarps) {
        int t = warp_total[lane];
        for (int d = 1; d < kWarps; d <<= 1) {
            int y = __shfl_up_sync(FULL, t, d);
            if (lane >= d) t += y;
        }
        warp_total[lane] = t;
    }
    __syncthreads();

    if (warp > 0) x += warp_total[warp - 1];
    if (i < n) out[i] = x;
    if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = x;
}

__global__ void add_before(int* out, std::size_t n, const int* scanned) {
    const std::size_t i = std::size_t(blockIdx.x + 1) * kBlock + threadIdx.x;
    if (i < n) out[i] += scanned[blockIdx.x];
}

// `work` has room for the sums of this level and of all that follow
static void scan_level(const int* in, std::size_t n, int* out, int* work) {
    const std::size_t blocks = (n + kBlock - 1) / kBlock;
    int* sums = work;
    int* scanned = work + blocks;
    scan_tiles<<<unsigned(blocks), kBlock>>>(in, n, out, sums);
    if (blocks == 1) return;
    scan_level(sums, blocks, scanned, scanned + blocks);
    add_before<<<unsigned(blocks - 1), kBlock>>>(out, n, scanned);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* work = nullptr;
    static std::size_t room = 0;
    const std::size_t need = n / 64 + 64;
    if (need > room) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(int));
        room = need;
    }
    scan_level(in, n, out, work);
}

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
