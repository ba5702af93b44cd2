// cause: divergent_barrier line 24
// task: inclusive_int
// The barrier between reading and writing stands in the branch of the threads that have a neighbour: threads below the distance never reach it.

#include "interface.cuh"

// Kogge and Stone's scan in each block, then the sums of the blocks are scanned in the same way
// (by recursion), then added.

#define TILE 256

__global__ void scanTiles(const int* in, int* out, int* sums, size_t n) {
    __shared__ int s[TILE];
    const int t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * TILE + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < TILE; d *= 2) {
        int left = 0;
        if (t >= d) {
            left = s[t - d];   // the old value!
            __syncthreads();
        }
        s[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = s[t];
    if (sums && t == TILE - 1) sums[blockIdx.x] = s[t];
}

__global__ void addSums(int* out, const int* sums, size_t n) {
    // the first tile is finished: start with the second
    const size_t i = (size_t)(blockIdx.x + 1) * TILE + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

// One buffer of sums per level of the recursion, kept for the next call.
struct Level {
    int* sums = nullptr;
    size_t size = 0;

    int* atLeast(size_t wanted) {
        if (wanted > size) {
            cudaFree(sums);
            cudaMalloc(&sums, wanted * sizeof(int));
            size = wanted;
        }
        return sums;
    }
};

static void scan(const int* in, int* out, size_t n, int depth) {
    static Level levels[8];
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    if (tiles == 1) {
        scanTiles<<<1, TILE>>>(in, out, nullptr, n);
        return;
    }
    int* sums = levels[depth].atLeast(tiles);
    scanTiles<<<tiles, TILE>>>(in, out, sums, n);
    scan(sums, sums, tiles, depth + 1);
    addSums<<<tiles - 1, TILE>>>(out, sums, n);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, out, n, 0); }

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
