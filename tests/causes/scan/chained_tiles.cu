// cause: missing_fence line 52 or 53
// task: inclusive_int
// The flag of a tile is set right after its sum is written, without a fence between them, so that the next block may see the flag and an old sum.
#include "interface.cuh"

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

// One pass. Tiles are handed out by a counter, and each block waits until the block before it has
// announced the sum of everything up to there.
constexpr int ITEMS = 4;
constexpr int THREADS = 128;
constexpr int TILE = ITEMS * THREADS;


__global__ void chained_scan(const int* in, std::size_t n, int* out, unsigned* next_tile, volatile int* prefix,
                             volatile int* ready) {
    __shared__ unsigned tile;
    __shared__ int sum_of_thread[THREADS];
    __shared__ int before;
    const unsigned t = threadIdx.x;

    if (t == 0) tile = atomicAdd(next_tile, 1u);
    __syncthreads();
    const std::size_t first = std::size_t(tile) * TILE + t * ITEMS;

    int x[ITEMS];
    int running = 0;
    for (int k = 0; k < ITEMS; ++k) {
        if (first + k < n) running += in[first + k];
        x[k] = running;
    }
    sum_of_thread[t] = running;
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d *= 2) {
        const int add = t >= d ? sum_of_thread[t - d] : 0;
        __syncthreads();
        sum_of_thread[t] += add;
        __syncthreads();
    }

    if (t == 0) {
        int sum = 0;
        if (tile > 0) {
            while (ready[tile - 1] == 0) {
            }
            __threadfence();
            sum = prefix[tile - 1];
        }
        before = sum;
        prefix[tile] = sum + sum_of_thread[THREADS - 1];
        ready[tile] = 1;
    }
    __syncthreads();

    const int offset = before + (t > 0 ? sum_of_thread[t - 1] : 0);
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < n) out[first + k] = offset + x[k];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* memory = nullptr;
    static std::size_t room = 0;
    const std::size_t tiles = (n + TILE - 1) / TILE;
    const std::size_t need = 1 + 2 * tiles;
    if (need > room) {
        cudaFree(memory);
        cudaMalloc(&memory, need * sizeof(int));
        room = need;
    }
    // the counter and the flags lie side by side, the sums behind them
    cudaMemsetAsync(memory, 0, (1 + tiles) * sizeof(int));
    chained_scan<<<static_cast<unsigned>(tiles), THREADS>>>(in, n, out, reinterpret_cast<unsigned*>(memory),
                                                            memory + 1 + tiles, memory + 1);
}
