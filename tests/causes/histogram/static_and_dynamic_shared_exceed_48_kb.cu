// cause: launch_refused line 124
// task: bins
// Static and dynamic shared memory together exceed 48 KB when bin_count is exactly 12288, and the kernel is not allowed more: the launch is refused and all counts stay 0.
#include "interface.cuh"

typedef unsigned int uint_t;

// ---------- bytes: no atomics in global memory, two kernels ----------

static const int MAX_PARTS = 528;

__global__ void countBytes(const unsigned char *in, size_t n, uint_t *partial)
{
    __shared__ uint_t local[8][256];
    const int warp = threadIdx.x >> 5;

    for (int w = 0; w < 8; w++)
        local[w][threadIdx.x] = 0;
    __syncthreads();

    uint_t *mine = local[warp];
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        // four loads on their way at once
        const unsigned char a = in[i];
        const unsigned char b = in[i + step];
        const unsigned char c = in[i + 2 * step];
        const unsigned char d = in[i + 3 * step];
        atomicAdd(mine + a, 1u);
        atomicAdd(mine + b, 1u);
        atomicAdd(mine + c, 1u);
        atomicAdd(mine + d, 1u);
    }
    for (; i < n; i += step)
        atomicAdd(mine + in[i], 1u);
    __syncthreads();

    uint_t total = 0;
    for (int w = 0; w < 8; w++)
        total += local[w][threadIdx.x];
    partial[blockIdx.x * 256 + threadIdx.x] = total;
}

__global__ void sumPartials(const uint_t *partial, int parts, uint_t *bins)
{
    const int bin = threadIdx.x;
    uint_t total = 0;
    for (int p = 0; p < parts; p++)
        total += partial[p * 256 + bin];
    bins[bin] = total;
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    static uint_t *partial = nullptr;
    if (!partial)
        cudaMalloc(&partial, MAX_PARTS * 256 * sizeof(uint_t));

    size_t parts = (n + 16383) / 16384;
    if (parts < 1)
        parts = 1;
    if (parts > MAX_PARTS)
        parts = MAX_PARTS;
    countBytes<<<(int)parts, 256>>>(in, n, partial);
    sumPartials<<<1, 256>>>(partial, (int)parts, bins);
}

// ---------- bins: blocks fetch tiles until there are none left ----------

static const uint_t TILE = 8192;

__global__ void countTiles(const uint_t *in, size_t n, uint_t *bins, uint_t binCount,
                           uint_t *nextTile)
{
    extern __shared__ uint_t hist[];
    __shared__ uint_t tile;

    for (uint_t b = threadIdx.x; b < binCount; b += blockDim.x)
        hist[b] = 0;

    while (true) {
        __syncthreads();
        if (threadIdx.x == 0)
            tile = atomicAdd(nextTile, 1u);
        __syncthreads();

        const size_t begin = (size_t)tile * TILE;
        if (begin >= n)
            break;
        const size_t end = begin + TILE < n ? begin + TILE : n;
        for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x)
            atomicAdd(&hist[in[i]], 1u);
    }

    for (uint_t b = threadIdx.x; b < binCount; b += blockDim.x)
        if (hist[b])
            atomicAdd(&bins[b], hist[b]);
}

__global__ void countDirectly(const uint_t *in, size_t n, uint_t *bins)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int *in, std::size_t n, unsigned int *bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, sizeof(uint_t) * bin_count);
    if (n == 0)
        return;

    const size_t bytes = sizeof(uint_t) * bin_count;
    if (bytes <= 48 * 1024) {
        static uint_t *nextTile = nullptr;
        if (!nextTile)
            cudaMalloc(&nextTile, sizeof(uint_t));
        cudaMemset(nextTile, 0, sizeof(uint_t));
        size_t blocks = (n + TILE - 1) / TILE;
        if (blocks > 528)
            blocks = 528;
        countTiles<<<(int)blocks, 512, bytes>>>(in, n, bins, bin_count, nextTile);
    } else {
        countDirectly<<<(int)((n + 255) / 256), 256>>>(in, n, bins);
    }
}
