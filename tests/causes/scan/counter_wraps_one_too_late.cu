// cause: state_kept_between_calls line 27
// task: exclusive_int
// atomicInc goes back to 0 only when it has reached its limit, which should be gridDim.x - 1; so the counter stands at
// gridDim.x after the first call, and in the next call the wrong block takes itself for the last, or none does.
#include "interface.cuh"

static const unsigned B = 256;

__device__ unsigned blocks_done = 0;

// the sum of each tile; the block that is last to finish scans these sums
__global__ void reduce_then_scan_sums(const int* in, size_t n, volatile int* sums) {
    __shared__ int s[B];
    __shared__ bool i_am_last;
    const unsigned t = threadIdx.x;
    const size_t i = blockIdx.x * (size_t)B + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = B / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = s[0];
        __threadfence();
        i_am_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!i_am_last) return;

    // each thread takes a run of neighbours: sum, scan over the threads, and again
    const unsigned len = (gridDim.x + B - 1) / B;
    const unsigned begin = min(t * len, gridDim.x), end = min(begin + len, gridDim.x);
    int mine = 0;
    for (unsigned k = begin; k < end; ++k) mine += sums[k];
    s[t] = mine;
    __syncthreads();
    int before = 0;
    for (unsigned k = 0; k < t; ++k) before += s[k];
    for (unsigned k = begin; k < end; ++k) {
        const int x = sums[k];
        sums[k] = before;
        before += x;
    }
}

__global__ void scan_tiles(const int* in, size_t n, const int* sums, int* out) {
    __shared__ int buffer[2][B];
    const unsigned t = threadIdx.x;
    const size_t i = blockIdx.x * (size_t)B + t;

    // shifted by one to the right, that makes it exclusive
    buffer[0][t] = t == 0 ? sums[blockIdx.x] : (i <= n ? in[i - 1] : 0);
    __syncthreads();
    int now = 0;
    for (unsigned d = 1; d < B; d *= 2) {
        buffer[1 - now][t] = buffer[now][t] + (t >= d ? buffer[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[now][t];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static unsigned room = 0;
    const unsigned blocks = (unsigned)((n + B - 1) / B);
    if (blocks > room) {
        if (sums) cudaFree(sums);
        cudaMalloc(&sums, sizeof(int) * blocks);
        room = blocks;
    }
    reduce_then_scan_sums<<<blocks, B>>>(in, n, sums);
    scan_tiles<<<blocks, B>>>(in, n, sums, out);
}
