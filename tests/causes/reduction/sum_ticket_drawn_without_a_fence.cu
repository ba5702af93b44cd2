// cause: missing_fence line 36
// task: sum
// A block draws its ticket without a fence behind its partial sum: the last block may add up sums that it cannot see yet.
#include "interface.cuh"

// One launch only: each block leaves a partial sum, and the block that
// finishes last adds them up.
constexpr unsigned kThreads = 256;
constexpr unsigned kMaxBlocks = 512;

__device__ double partialSums[kMaxBlocks];
__device__ unsigned int finished = 0;

__device__ double treeSum(double* s) {
    __syncthreads();
    for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    return s[0];
}

__global__ void sumSinglePass(const double* in, std::size_t n, double* out) {
    __shared__ double s[kThreads];
    __shared__ bool last;

    double acc = 0.0;
    const std::size_t stride = (std::size_t)gridDim.x * kThreads;
    for (std::size_t i = (std::size_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
        acc += in[i];
    }
    s[threadIdx.x] = acc;
    const double blockTotal = treeSum(s);

    if (threadIdx.x == 0) {
        partialSums[blockIdx.x] = blockTotal;
        // atomicInc goes back to 0 after the last block, ready for the next call
        const unsigned ticket = atomicInc(&finished, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    const volatile double* sums = partialSums;
    double total = 0.0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += kThreads) total += sums[b];
    s[threadIdx.x] = total;
    total = treeSum(s);
    if (threadIdx.x == 0) *out = total;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    std::size_t blocks = (n + 4 * kThreads - 1) / (4 * kThreads);
    if (blocks < 1) blocks = 1;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    sumSinglePass<<<(unsigned)blocks, kThreads>>>(in, n, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
