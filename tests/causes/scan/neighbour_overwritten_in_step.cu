// cause: missing_barrier or in_place line 19 or 20
// task: inclusive_int
// In each step a thread overwrites its element while the thread d places to the right may not have read it yet: between reading and writing there is no barrier.
#include "interface.cuh"

static const int B = 256;

// Scans each tile of B elements by Kogge and Stone, leaves the sum of the tile in sums.
__global__ void scanTiles(const int* in, size_t n, int* out, int* sums) {
    __shared__ int s[B];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * B + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < B; d *= 2) {
        int left = 0;
        if (t >= d) left = s[t - d];
        s[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = s[t];
    if (t == B - 1) sums[blockIdx.x] = s[t];
}

// Adds to each tile the sums of all tiles to its left.
__global__ void addLeft(int* out, size_t n, const int* sums) {
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

// Places for the sums of all levels: raw and scanned
static int* pool = nullptr;
static size_t poolSize = 0;

static void scanLevel(const int* in, size_t n, int* out, int* scratch) {
    size_t tiles = (n + B - 1) / B;
    int* raw = scratch;
    int* scanned = scratch + tiles;
    scanTiles<<<(unsigned)tiles, B>>>(in, n, out, raw);
    if (tiles > 1) {
        scanLevel(raw, tiles, scanned, scratch + 2 * tiles);
        addLeft<<<(unsigned)tiles, B>>>(out, n, scanned);
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    size_t need = n / 32 + 64;
    if (need > poolSize) {
        cudaFree(pool);
        cudaMalloc((void**)&pool, need * sizeof(int));
        poolSize = need;
    }
    scanLevel(in, n, out, pool);
}
