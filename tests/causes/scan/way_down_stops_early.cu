// cause: tree_level_missing line 38
// task: exclusive_int
// The way down stops one step before the bottom: the pairs of neighbours are never handed what comes before them.
#include "interface.cuh"

const int HALF = 256;          // threads
const int FULL = 2 * HALF;     // elements per block

__global__ void blelloch(const int* in, size_t n, int* out, int* blockSums)
{
    __shared__ int temp[FULL];
    int thid = threadIdx.x;
    size_t start = (size_t)blockIdx.x * FULL;

    temp[2 * thid] = start + 2 * thid < n ? in[start + 2 * thid] : 0;
    temp[2 * thid + 1] = start + 2 * thid + 1 < n ? in[start + 2 * thid + 1] : 0;

    // up-sweep
    int offset = 1;
    for (int d = FULL / 2; d > 0; d /= 2) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    // clear the last element, remember the sum
    __syncthreads();
    if (thid == 0) {
        blockSums[blockIdx.x] = temp[FULL - 1];
        temp[FULL - 1] = 0;
    }

    // down-sweep
    for (int d = 1; d < HALF; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();

    if (start + 2 * thid < n) out[start + 2 * thid] = temp[2 * thid];
    if (start + 2 * thid + 1 < n) out[start + 2 * thid + 1] = temp[2 * thid + 1];
}

__global__ void addBlockSums(int* out, size_t n, const int* scannedSums)
{
    size_t i = (size_t)blockIdx.x * FULL + threadIdx.x;
    int s = scannedSums[blockIdx.x];
    if (i < n) out[i] += s;
    if (i + HALF < n) out[i + HALF] += s;
}

static int* d_sums = nullptr;
static size_t d_sumsLength = 0;

static void recursiveScan(const int* in, size_t n, int* out, int* sums)
{
    unsigned blocks = (unsigned)((n + FULL - 1) / FULL);
    blelloch<<<blocks, HALF>>>(in, n, out, sums);
    if (blocks > 1) {
        int* scanned = sums + blocks;
        recursiveScan(sums, blocks, scanned, scanned + blocks);
        addBlockSums<<<blocks, HALF>>>(out, n, scanned);
    }
}

void scan_exclusive_int(const int* in, size_t n, int* out)
{
    size_t length = n / 100 + 100;
    if (length > d_sumsLength) {
        if (d_sums != nullptr) cudaFree(d_sums);
        cudaMalloc((void**)&d_sums, length * sizeof(int));
        d_sumsLength = length;
    }
    recursiveScan(in, n, out, d_sums);
}
