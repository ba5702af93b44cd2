// expect: sum=wrong_answer|nondeterministic
// The last block adds up the sums of all, and waits for none of them. What a call before has left there would
// be right where it was made from the same data.
#include "interface.cuh"

constexpr unsigned threads = 256, most_blocks = 64;
__device__ volatile double sums[most_blocks];

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
    if (blockIdx.x != gridDim.x - 1) return;
    double total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += sums[i];
    *out = total;
}

CUGRADE_FUNCTION void reduce_sum(const double* in, std::size_t n, double* out) {
    const std::size_t wanted = (n + threads - 1) / threads;
    const auto blocks = static_cast<unsigned>(wanted < 1 ? 1 : wanted < most_blocks ? wanted : most_blocks);
    sum_all<<<blocks, threads>>>(in, n, out);
}
