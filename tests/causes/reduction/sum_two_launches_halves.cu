// cause: not_a_power_of_two line 10 or 23
// task: sum
// The tree halves the number of active threads from 384 on, and 3 / 2 = 1 leaves one of the last three partial sums out; shows as soon as a block has more than some hundred elements.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr unsigned kThreads = 384;  // four blocks fill 1536 threads of a multiprocessor
constexpr unsigned kMaxBlocks = 528;

__global__ void partial_sums(const double* __restrict__ in, std::size_t n, double* __restrict__ partial) {
    __shared__ double cache[kThreads];
    const unsigned t = threadIdx.x;

    double mine = 0.0;
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads + t; i < n; i += std::size_t{gridDim.x} * kThreads)
        mine += in[i];
    cache[t] = mine;
    __syncthreads();

    for (unsigned active = kThreads / 2; active > 0; active /= 2) {
        if (t < active) cache[t] += cache[t + active];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = cache[0];
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    if (!partial) cudaMalloc(&partial, kMaxBlocks * sizeof(double));

    const auto wanted = (n + kThreads - 1) / kThreads;
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, kMaxBlocks));
    partial_sums<<<blocks, kThreads>>>(in, n, partial);
    partial_sums<<<1, kThreads>>>(partial, blocks, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
