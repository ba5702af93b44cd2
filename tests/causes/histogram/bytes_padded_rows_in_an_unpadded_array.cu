// cause: array_too_small line 23
// task: bytes
// the rows of the table got one cell of padding, the table itself did not; the rows of the values above 240 lie behind its end, in every call
#include "interface.cuh"

#include <algorithm>

// Each bin is a row of LANES counters, and lane l of a half warp has counter l of the row.
// One cell of padding per row puts the counters of neighbouring bins in different banks.
enum {
    VALUES = 256,
    LANES = 16,
    PITCH = LANES + 1,
    BLOCK = 384,
};

// unsigned short would be smaller, but there is no atomicAdd for it
typedef unsigned int count_t;

#define CELL(value, lane) ((value) * PITCH + (lane))

__global__ void countBytes(const unsigned char* in, size_t n, count_t* partial) {
    __shared__ count_t table[VALUES * LANES];

    const int tid = threadIdx.x;
    const int lane = tid % LANES;

    for (int v = tid / LANES; v < VALUES; v += BLOCK / LANES) table[CELL(v, lane)] = 0;
    __syncthreads();

    const size_t stride = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += stride) {
        atomicAdd(&table[CELL(in[i], lane)], 1u);
    }
    __syncthreads();

    // a row is added up by one thread; thanks to the padding without conflicts
    for (int v = tid; v < VALUES; v += BLOCK) {
        count_t total = 0;
        for (int l = 0; l < LANES; ++l) total += table[CELL(v, l)];
        partial[blockIdx.x * VALUES + v] = total;
    }
}

// thread v adds up bin v of all blocks, so nobody needs an atomic and nobody has to clear bins
__global__ void addUp(const count_t* partial, int blocks, count_t* bins) {
    const int v = threadIdx.x;
    count_t total = 0;
    for (int b = 0; b < blocks; ++b) total += partial[b * VALUES + v];
    bins[v] = total;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const int most = 264;
    static count_t* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, most * VALUES * sizeof(count_t));

    const int blocks = (int)std::min<size_t>(most, n / (16 * BLOCK) + 1);
    countBytes<<<blocks, BLOCK>>>(in, n, partial);
    addUp<<<1, VALUES>>>(partial, blocks, bins);
}

// The same for `bin_count` bins and 32-bit values. Where the bins fit in shared memory, count
// there.
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
