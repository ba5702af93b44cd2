// cause: wrong_element line 38
// task: inclusive_int
// the warp's total is taken from lane 0, which has only its own element after a scan: wrong from the second warp on
#include "interface.cuh"

namespace {

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / 32;

// Four neighbouring elements of a thread, scanned in registers.
struct Four {
    int v[4];
    __device__ int scan() {
        for (int k = 1; k < 4; ++k) v[k] += v[k - 1];
        return v[3];
    }
    __device__ void shift(int by) {
        for (int k = 0; k < 4; ++k) v[k] += by;
    }
};
constexpr unsigned tile = threads * 4;

__device__ int warp_scan(int x) {
    const unsigned lane = threadIdx.x & 31;
    for (unsigned d = 1; d < 32; d <<= 1) {
        const int y = __shfl_up_sync(0xffffffff, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

// The sum of what all threads up to and with this one bring; *total is that of the block.
__device__ int block_scan(int x, int* total) {
    __shared__ int sums[warps];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    x = warp_scan(x);
    if (lane == 0) sums[warp] = x;
    __syncthreads();
    int before = 0, all = 0;
    for (unsigned w = 0; w < warps; ++w) {
        if (w < warp) before += sums[w];
        all += sums[w];
    }
    *total = all;
    return before + x;
}

__global__ void scan_tiles(const int* in, std::size_t n, int* out, int* totals) {
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * tile + threadIdx.x * 4;
    Four mine;
    for (int k = 0; k < 4; ++k) mine.v[k] = begin + k < n ? in[begin + k] : 0;
    const int sum = mine.scan();
    int total;
    const int upto = block_scan(sum, &total);
    mine.shift(upto - sum);
    for (int k = 0; k < 4; ++k)
        if (begin + k < n) out[begin + k] = mine.v[k];
    if (threadIdx.x == 0 && totals != nullptr) totals[blockIdx.x] = total;
}

__global__ void add_before(int* out, std::size_t n, const int* scanned) {
    if (blockIdx.x == 0) return;
    const int before = scanned[blockIdx.x - 1];
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * tile;
    for (unsigned k = threadIdx.x; k < tile && begin + k < n; k += threads) out[begin + k] += before;
}

// scratch has room for the totals of all levels
void inclusive(const int* in, std::size_t n, int* out, int* scratch) {
    const std::size_t tiles = (n + tile - 1) / tile;
    const unsigned grid = static_cast<unsigned>(tiles);
    scan_tiles<<<grid, threads>>>(in, n, out, tiles > 1 ? scratch : nullptr);
    if (tiles == 1) return;
    inclusive(scratch, tiles, scratch, scratch + tiles);
    add_before<<<grid, threads>>>(out, n, scratch);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* scratch = nullptr;
    static std::size_t room = 0;
    const std::size_t need = n / 512 + 64;
    if (need > room) {
        cudaFree(scratch);
        cudaMalloc(&scratch, need * sizeof(int));
        room = need;
    }
    inclusive(in, n, out, scratch);
}
