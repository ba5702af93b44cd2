// cause: elements_ignored or tail_ignored line 70
// task: exclusive_int
// the number of sums per thread is rounded down, so that the last sums are never scanned; shows with more than 1024 tiles, from 262145 elements on.
#include "interface.cuh"

#include <algorithm>

static constexpr int tileSize = 256;
static constexpr int maxThreads = 1024;

// Kogge-Stone over the block, returns the exclusive prefix
template <int N>
__device__ int koggeStone(int v, int (&s)[2][N])
{
    int p = 0;
    s[0][threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        s[1 - p][threadIdx.x] =
            s[p][threadIdx.x] + (threadIdx.x >= d ? s[p][threadIdx.x - d] : 0);
        p = 1 - p;
        __syncthreads();
    }
    return threadIdx.x == 0 ? 0 : s[p][threadIdx.x - 1];
}

__global__ void phase1(const int* in, size_t n, int* out, int* sums)
{
    __shared__ int s[2][tileSize];
    const size_t i = blockIdx.x * size_t(tileSize) + threadIdx.x;
    const int v = i < n ? in[i] : 0;
    const int e = koggeStone(v, s);
    if (i < n) out[i] = e;
    if (threadIdx.x == tileSize - 1) sums[blockIdx.x] = e + v;
}

// one block; every thread takes `per` neighbouring sums
__global__ void phase2(int* sums, int count, int per)
{
    __shared__ int s[2][maxThreads];
    const int from = threadIdx.x * per;
    const int to = min(from + per, count);
    int own = 0;
    for (int k = from; k < to; ++k) own += sums[k];
    int run = koggeStone(own, s);
    for (int k = from; k < to; ++k) {
        const int x = sums[k];
        sums[k] = run;
        run += x;
    }
}

__global__ void phase3(int* out, size_t n, const int* sums)
{
    const size_t i = blockIdx.x * size_t(tileSize) + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_exclusive_int(const int* in, size_t n, int* out)
{
    const int tiles = int((n + tileSize - 1) / tileSize);
    static int* sums;
    static int room;
    if (room < tiles) {
        cudaFree(sums);
        cudaMalloc(&sums, sizeof(int) * tiles);
        room = tiles;
    }
    phase1<<<tiles, tileSize>>>(in, n, out, sums);
    const int per = std::max(1, tiles / maxThreads);
    phase2<<<1, maxThreads>>>(sums, tiles, per);
    phase3<<<tiles, tileSize>>>(out, n, sums);
}
