// cause: state_kept_between_calls line 50
// task: exclusive_int
// The counter of finished blocks is never set back to 0, so from the second call on another block, or none, scans the sums.
#include "interface.cuh"

const int B = 256;

__device__ unsigned int finished = 0;

struct Scratch {
    int* sums = nullptr;
    std::size_t size = 0;
    int* get(std::size_t count) {
        if (count > size) {
            cudaFree(sums);
            cudaMalloc(&sums, count * sizeof(int));
            size = count;
        }
        return sums;
    }
};

// Exclusive scan of one value per thread; `total` becomes the sum of the block.
__device__ int block_exclusive(int x, int& total) {
    __shared__ int s[B];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = x;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int other = 0;
        if (t >= d) other = s[t - d];
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    total = s[B - 1];
    return t == 0 ? 0 : s[t - 1];
}

// Phase 1: the sum of each tile. The block that finishes last turns the sums into offsets.
__global__ void tile_sums(const int* in, std::size_t n, volatile int* sums) {
    __shared__ bool last;
    std::size_t i = (std::size_t)blockIdx.x * B + threadIdx.x;
    int total;
    block_exclusive(i < n ? in[i] : 0, total);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    int before = 0;
    for (unsigned int first = 0; first < gridDim.x; first += B) {
        unsigned int k = first + threadIdx.x;
        int offset = block_exclusive(k < gridDim.x ? sums[k] : 0, total);
        if (k < gridDim.x) sums[k] = before + offset;
        before += total;
    }
}

// Phase 2: scan again, now with what came before.
__global__ void tile_scan(const int* in, std::size_t n, const int* offsets, int* out) {
    std::size_t i = (std::size_t)blockIdx.x * B + threadIdx.x;
    int total;
    int mine = block_exclusive(i < n ? in[i] : 0, total);
    if (i < n) out[i] = offsets[blockIdx.x] + mine;
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static Scratch scratch;
    std::size_t blocks = (n + B - 1) / B;
    int* sums = scratch.get(blocks);
    tile_sums<<<blocks, B>>>(in, n, sums);
    tile_scan<<<blocks, B>>>(in, n, sums, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
