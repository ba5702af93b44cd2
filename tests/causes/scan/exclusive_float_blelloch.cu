// cause: tree_level_missing line 39
// task: exclusive_float
// The way down stops one level early, so every odd element misses what its neighbour has.
#include "interface.cuh"

#define PAD(i) ((i) + ((i) >> 5))

namespace {

constexpr int TILE = 512;          // elements per block
constexpr int HALF = TILE / 2;     // threads per block

// work-efficient exclusive scan, two elements per thread
__global__ void blelloch(const float* in, float* out, float* total, std::size_t n)
{
    __shared__ float t[PAD(TILE)];
    const int tid = threadIdx.x;
    const std::size_t base = (std::size_t)blockIdx.x * TILE;

    t[PAD(tid)] = base + tid < n ? in[base + tid] : 0.0f;
    t[PAD(tid + HALF)] = base + tid + HALF < n ? in[base + tid + HALF] : 0.0f;

    int offset = 1;
    for (int d = TILE >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int l = offset * (2 * tid + 1) - 1;
            int r = offset * (2 * tid + 2) - 1;
            t[PAD(r)] += t[PAD(l)];
        }
        offset <<= 1;
    }

    if (tid == 0) {
        if (total) total[blockIdx.x] = t[PAD(TILE - 1)];
        t[PAD(TILE - 1)] = 0.0f;
    }

    for (int d = 1; d < TILE / 2; d <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int l = offset * (2 * tid + 1) - 1;
            int r = offset * (2 * tid + 2) - 1;
            float x = t[PAD(l)];
            t[PAD(l)] = t[PAD(r)];
            t[PAD(r)] += x;
        }
    }
    __syncthreads();

    if (base + tid < n) out[base + tid] = t[PAD(tid)];
    if (base + tid + HALF < n) out[base + tid + HALF] = t[PAD(tid + HALF)];
}

__global__ void addBefore(float* out, const float* before, std::size_t n)
{
    const std::size_t i = (std::size_t)blockIdx.x * TILE + threadIdx.x;
    const float b = before[blockIdx.x];
    if (i < n) out[i] += b;
    if (i + HALF < n) out[i + HALF] += b;
}

void scan(const float* in, float* out, std::size_t n, float* scratch)
{
    const std::size_t blocks = (n + TILE - 1) / TILE;
    if (blocks == 1) {
        blelloch<<<1, HALF>>>(in, out, nullptr, n);
        return;
    }
    float* totals = scratch;
    float* before = scratch + blocks;
    blelloch<<<(unsigned)blocks, HALF>>>(in, out, totals, n);
    scan(totals, before, blocks, before + blocks);
    addBefore<<<(unsigned)blocks, HALF>>>(out, before, n);
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    static float* scratch = nullptr;
    static std::size_t size = 0;
    if (!scratch || size < n) {
        if (scratch) cudaFree(scratch);
        size = n;
        cudaMalloc(&scratch, (n / 128 + 64) * sizeof(float));
    }
    scan(in, out, n, scratch);
}
