// cause: size_in_elements line 76
// task: inclusive_float
// The flags are cleared by their number, not by their bytes: three quarters of them keep what was in the memory, and a
// block takes a prefix that is not there yet.
#include "interface.cuh"

// One pass. Tiles form a chain: each block waits for the prefix of the tile before.
#define TILE 1024  // 256 threads, 4 elements each

__global__ void chained_scan(const float* in, size_t n, float* out, unsigned* ticket, int* ready,
                             volatile float* prefix) {
    __shared__ unsigned my_tile;
    __shared__ float warp_total[8];
    __shared__ float carry;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;

    if (t == 0) my_tile = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned tile = my_tile;
    const size_t first = (size_t)tile * TILE + 4 * t;

    float x[4];
    float run = 0.0f;
    for (int k = 0; k < 4; k++) {
        run += first + k < n ? in[first + k] : 0.0f;
        x[k] = run;
    }

    float s = run;
    for (int d = 1; d < 32; d += d) {
        float y = __shfl_up_sync(0xffffffff, s, d);
        if (lane >= d) s += y;
    }
    if (lane == 31) warp_total[warp] = s;
    float before = __shfl_up_sync(0xffffffff, s, 1);
    if (lane == 0) before = 0.0f;
    __syncthreads();
    for (int w = 0; w < warp; w++) before += warp_total[w];

    // thread 0 hands the chain on
    if (t == 0) {
        float sum = 0.0f;
        for (int w = 0; w < 8; w++) sum += warp_total[w];
        float p = 0.0f;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0) == 0) {
            }
            __threadfence();
            p = prefix[tile - 1];
        }
        carry = p;
        prefix[tile] = p + sum;
        __threadfence();
        atomicExch(&ready[tile], 1);
    }
    __syncthreads();

    for (int k = 0; k < 4; k++)
        if (first + k < n) out[first + k] = carry + (before + x[k]);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static char* memory = nullptr;
    static size_t bytes = 0;
    const size_t tiles = (n + TILE - 1) / TILE;
    const size_t need = sizeof(unsigned) + tiles * (sizeof(int) + sizeof(float));
    if (need > bytes) {
        cudaFree(memory);
        cudaMalloc(&memory, need);
        bytes = need;
    }
    unsigned* ticket = (unsigned*)memory;
    int* ready = (int*)(ticket + 1);
    float* prefix = (float*)(ready + tiles);
    cudaMemset(ticket, 0, sizeof(unsigned));
    cudaMemset(ready, 0, tiles);
    chained_scan<<<(unsigned)tiles, 256>>>(in, n, out, ticket, ready, prefix);
}
