// expect: sum=wrong_answer|nondeterministic
// Each block leaves its sum and counts itself; the block with the last number adds the sums up after a
// while, instead of the block that counted last. All accesses are volatile, so none of them is a race,
// and on a GPU the others have mostly ended by then.
#include "interface.cuh"

constexpr unsigned threads = 256, most_blocks = 64;
__device__ volatile double sums[most_blocks];
__device__ unsigned counted;

__global__ void clear() {
    counted = 0;
    for (volatile double& sum : sums) sum = 0;
}

__device__ double block_sum(double value) {
    __shared__ double part[threads];
    part[threadIdx.x] = value;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    return part[0];
}

__global__ void sum_all(const double* in, std::size_t n, double* out) {
    double mine = 0;
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += stride) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = mine;
    __threadfence();
    atomicAdd(&counted, 1);
    if (blockIdx.x != gridDim.x - 1) return;
    for (int round = 0; round < 2000 && *static_cast<volatile unsigned*>(&counted) != gridDim.x; ++round)
        continue;
    double total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += sums[i];
    *out = total;
}

CUGRADE_FUNCTION void reduce_sum(const double* in, std::size_t n, double* out) {
    const std::size_t wanted = (n + threads - 1) / threads;
    const auto blocks = static_cast<unsigned>(wanted < 1 ? 1 : wanted < most_blocks ? wanted : most_blocks);
    clear<<<1, 1>>>();
    sum_all<<<blocks, threads>>>(in, n, out);
}
