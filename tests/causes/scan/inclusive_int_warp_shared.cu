// cause: missing_warp_sync line 26
// task: inclusive_int
// In the scan of a warp in shared memory, the lanes do not wait for each other between the write of one step and the read of the next.
#include "interface.cuh"

// every warp has 32 zeros in front of its 32 values: no "if" in the loop
struct WarpBuffer {
    int zeros[32];
    int values[32];
};

constexpr int WARPS = 8;
constexpr int BLOCK = 32 * WARPS;

__device__ int scanWarp(WarpBuffer& b, int x)
{
    const int lane = threadIdx.x % 32;
    b.zeros[lane] = 0;
    b.values[lane] = x;
    __syncwarp();
    volatile int* v = b.values;
    for (int d = 1; d < 32; d *= 2) {
        const int left = v[lane - d];
        __syncwarp();
        x += left;
        v[lane] = x;
    }
    return x;
}

__global__ void scanBlocks(const int* in, int* out, int* sums, std::size_t n)
{
    __shared__ WarpBuffer buffer[WARPS];
    __shared__ int ends[WARPS];
    const int warp = threadIdx.x / 32;
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;

    int x = scanWarp(buffer[warp], i < n ? in[i] : 0);
    if (threadIdx.x % 32 == 31) ends[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; ++w) x += ends[w];

    if (i < n) out[i] = x;
    if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = x;
}

__global__ void addToBlocks(int* out, const int* before, std::size_t n)
{
    const std::size_t i = std::size_t(blockIdx.x + 1) * BLOCK + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

static void recurse(const int* in, int* out, std::size_t n, int* work)
{
    const std::size_t blocks = (n + BLOCK - 1) / BLOCK;
    int* sums = work;
    scanBlocks<<<blocks, BLOCK>>>(in, out, sums, n);
    if (blocks > 1) {
        int* scanned = sums + blocks;
        recurse(sums, scanned, blocks, scanned + blocks);
        addToBlocks<<<blocks - 1, BLOCK>>>(out, scanned, n);
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    static int* work = nullptr;
    static std::size_t workLen = 0;
    const std::size_t len = n / 32 + 32;
    if (workLen < len) {
        cudaFree(work);
        cudaMalloc(&work, len * sizeof(int));
        workLen = len;
    }
    recurse(in, out, n, work);
}
