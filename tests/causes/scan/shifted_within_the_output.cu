// cause: in_place line 81
// task: exclusive_int
// The inclusive scan is moved up by one place within the output; a block reads the last element of the block before after that one has overwritten it.
#include "interface.cuh"

#include <cstddef>

/* Scan in three phases, as in the lecture:
 *   scan_tiles   each block scans its tile and keeps the tile's sum
 *   (recursion)  the sums are scanned
 *   add_before   each block adds what came before its tile
 * An exclusive scan is an inclusive one, one place further on.
 */

static const int TILE = 256;

static int* scratch(std::size_t ints) {
    static int* memory = NULL;
    static std::size_t size = 0;
    if (ints > size) {
        cudaFree(memory);
        cudaMalloc((void**)&memory, ints * sizeof(int));
        size = ints;
    }
    return memory;
}

static inline unsigned tiles_of(std::size_t n) { return (unsigned)((n + TILE - 1) / TILE); }

__global__ void scan_tiles(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ unsigned buf[2][TILE];
    const int t = threadIdx.x;
    const std::size_t i = (std::size_t)blockIdx.x * TILE + t;
    int src = 0;
    buf[src][t] = i < n ? (unsigned)in[i] : 0u;
    __syncthreads();
    for (int d = 1; d < TILE; d *= 2) {
        buf[1 - src][t] = buf[src][t] + (t >= d ? buf[src][t - d] : 0u);
        src = 1 - src;
        __syncthreads();
    }
    if (i < n) out[i] = (int)buf[src][t];
    if (t == TILE - 1) sums[blockIdx.x] = (int)buf[src][t];
}

__global__ void add_before(int* out, std::size_t n, const int* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] = (int)((unsigned)out[i] + (unsigned)sums[blockIdx.x - 1]);
}

__global__ void move_up(const int* from, int* to, std::size_t n) {
    const std::size_t i = (std::size_t)blockIdx.x * TILE + threadIdx.x;
    int v = 0;
    if (i > 0 && i < n) v = from[i - 1];
    __syncthreads();  // everybody has read
    if (i < n) to[i] = v;
}

// `work` has room for the sums of this level and of those above it
static void inclusive(const int* in, std::size_t n, int* out, int* work) {
    const unsigned tiles = tiles_of(n);
    scan_tiles<<<tiles, TILE>>>(in, n, out, work);
    if (tiles > 1) {
        int* scanned = work + tiles;
        inclusive(work, tiles, scanned, scanned + tiles);
        add_before<<<tiles, TILE>>>(out, n, scanned);
    }
}

static std::size_t work_size(std::size_t n) {
    std::size_t total = 0;
    do {
        n = tiles_of(n);
        total += 2 * n;
    } while (n > 1);
    return total;
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    inclusive(in, n, out, scratch(work_size(n)));
    move_up<<<tiles_of(n), TILE>>>(out, out, n);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
