// cause: grid_too_small line 82
// task: exclusive_int
// The number of tiles is rounded down, so a last partial tile behind whole ones has no block.
#include "interface.cuh"
#include <algorithm>

namespace four {

const int kThreads = 256;
const int kEach = 4;
const int kTile = kThreads * kEach;

struct Scanned {
    int exclusive;
    int total;
};

__device__ Scanned scanThreads(int mine)
{
    __shared__ int sh[2 * kThreads];
    int pout = 0, pin = 1;
    const int t = threadIdx.x;
    sh[t] = mine;
    __syncthreads();
    for (int d = 1; d < kThreads; d *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        int x = sh[pin * kThreads + t];
        if (t >= d) x += sh[pin * kThreads + t - d];
        sh[pout * kThreads + t] = x;
        __syncthreads();
    }
    Scanned r;
    r.exclusive = t > 0 ? sh[pout * kThreads + t - 1] : 0;
    r.total = sh[pout * kThreads + kThreads - 1];
    __syncthreads();
    return r;
}

__global__ void tiles(const int* in, int* out, size_t n, int* totals)
{
    const size_t i0 = (size_t)blockIdx.x * kTile + threadIdx.x * kEach;
    int v[kEach], s = 0;
    for (int k = 0; k < kEach; k++) {
        v[k] = i0 + k < n ? in[i0 + k] : 0;
        s += v[k];
    }
    const Scanned r = scanThreads(s);
    int run = r.exclusive;
    for (int k = 0; k < kEach; k++) {
        if (i0 + k < n) out[i0 + k] = run;
        run += v[k];
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = r.total;
}

__global__ void offsets(int* totals, int m)
{
    int before = 0;
    for (int b = 0; b < m; b += kThreads) {
        const int i = b + threadIdx.x;
        const Scanned r = scanThreads(i < m ? totals[i] : 0);
        if (i < m) totals[i] = before + r.exclusive;
        before += r.total;
    }
}

__global__ void add(int* out, size_t n, const int* offset)
{
    const int o = offset[blockIdx.x];
    for (int k = 0; k < kEach; k++) {
        const size_t i = (size_t)blockIdx.x * kTile + k * kThreads + threadIdx.x;
        if (i < n) out[i] += o;
    }
}

}  // namespace four

void scan_exclusive_int(const int* in, size_t n, int* out)
{
    using namespace four;
    const int grid = std::max<int>(1, n / kTile);
    static int* totals = nullptr;
    static int reserved = 0;
    if (reserved < grid) {
        cudaFree(totals);
        cudaMalloc(&totals, grid * sizeof(int));
        reserved = grid;
    }
    tiles<<<grid, kThreads>>>(in, out, n, totals);
    offsets<<<1, kThreads>>>(totals, grid);
    add<<<grid, kThreads>>>(out, n, totals);
}
