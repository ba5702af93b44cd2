// cause: size_in_elements line 41
// task: sum
// cudaMemcpy gets the number of partial sums where it wants bytes, so only an eighth of them reaches the host and the sum is too small.
#include "interface.cuh"

#include <vector>

constexpr int kThreads = 256;
constexpr int kItems = 8;

__global__ void blockSums(const double* in, std::size_t n, double* sums) {
    __shared__ double shared[kThreads];
    const std::size_t start = std::size_t(blockIdx.x) * kThreads * kItems + threadIdx.x;

    double x = 0;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = start + k * kThreads;
        if (i < n) x += in[i];
    }
    shared[threadIdx.x] = x;
    __syncthreads();

    for (int s = kThreads / 2; s; s /= 2) {
        if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    const std::size_t blocks = (n + kThreads * kItems - 1) / (kThreads * kItems);
    double total = 0;
    if (blocks > 0) {
        double* device = nullptr;
        cudaMalloc(&device, blocks * sizeof(double));
        blockSums<<<blocks, kThreads>>>(in, n, device);

        // There are only a few sums left; the CPU adds them faster than another launch takes.
        std::vector<double> host(blocks);
        cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost);
        for (double s : host) total += s;
        cudaFree(device);
    }
    cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice);
}

void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
