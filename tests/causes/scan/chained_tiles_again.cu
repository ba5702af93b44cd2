// cause: missing_fence line 44 or 45
// task: inclusive_int
// A tile's total is stored and then announced by a flag with nothing between the two, so the next tile may see the flag before the total.
#include "interface.cuh"

// One pass. Tiles are handed out in order by a counter; each tile waits for the total of all tiles before it.

namespace {

constexpr int threads = 256;

__device__ unsigned next_tile;

__global__ void chained_scan(const int* in, std::size_t n, int* out, volatile int* totals, int* ready) {
    __shared__ unsigned tile;
    __shared__ int before;
    __shared__ int s[threads];

    const int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(&next_tile, 1u);
    __syncthreads();

    const std::size_t i = std::size_t(tile) * threads + t;
    int v = i < n ? in[i] : 0;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < threads; d <<= 1) {
        const int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        v += left;
        s[t] = v;
        __syncthreads();
    }

    if (t == threads - 1) {
        int sum = 0;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0) == 0) {
            }
            __threadfence();
            sum = totals[tile - 1];
        }
        before = sum;
        totals[tile] = sum + v;
        atomicExch(&ready[tile], 1);
    }
    __syncthreads();
    if (i < n) out[i] = v + before;
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* memory = nullptr;
    static std::size_t capacity = 0;
    const std::size_t tiles = (n + threads - 1) / threads;
    if (tiles > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, 2 * tiles * sizeof(int));
        capacity = tiles;
    }
    const unsigned zero = 0;
    cudaMemcpyToSymbol(next_tile, &zero, sizeof zero);
    cudaMemset(memory, 0, 2 * tiles * sizeof(int));
    chained_scan<<<unsigned(tiles), threads>>>(in, n, out, memory, memory + tiles);
}

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
