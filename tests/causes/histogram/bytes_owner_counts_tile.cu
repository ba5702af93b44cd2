// cause: counter_too_narrow line 10
// task: bytes
// Each thread owns one byte value in a scratch row of 8-bit counters, which wrap around as soon as a value occurs more than 255 times in a block's section.
#include "interface.cuh"

// No atomics at all. The block loads a tile into shared memory, and then thread v goes through the
// tile and counts how often its own value v occurs. Rows of counts are added by a second kernel.
static const int kTile = 1024;

typedef unsigned char Count;

__global__ void count_tile(const unsigned char* in, std::size_t n, Count* rows) {
    __shared__ unsigned char tile[kTile];
    std::size_t begin = (std::size_t)blockIdx.x * kTile;
    int length = n - begin < kTile ? (int)(n - begin) : kTile;

    for (int i = threadIdx.x; i < length; i += blockDim.x) tile[i] = in[begin + i];
    __syncthreads();

    Count mine = 0;
    for (int i = 0; i < length; i++)
        if (tile[i] == threadIdx.x) mine++;
    rows[(std::size_t)blockIdx.x * 256 + threadIdx.x] = mine;
}

__global__ void add_rows(const Count* rows, int number, unsigned int* bins) {
    unsigned int sum = 0;
    for (int r = 0; r < number; r++) sum += rows[(std::size_t)r * 256 + threadIdx.x];
    bins[threadIdx.x] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    int tiles = (int)((n + kTile - 1) / kTile);
    Count* rows = nullptr;
    if (tiles > 0) {
        cudaMalloc(&rows, (std::size_t)tiles * 256 * sizeof(Count));
        count_tile<<<tiles, 256>>>(in, n, rows);
    }
    add_rows<<<1, 256>>>(rows, tiles, bins);
    cudaFree(rows);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
