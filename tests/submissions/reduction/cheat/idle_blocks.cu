// expect: cubes=accepted
// at-most: cubes.performance=0
// One block does all of the work among hundreds that end at once: the average block waits for nothing.
#include "interface.cuh"

__global__ void sum_of_cubes(const int* in, std::size_t n, long long* out) {
    __shared__ long long partial[1024];
    if (blockIdx.x != 0) return;
    long long sum = 0;
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += static_cast<long long>(in[i]) * in[i] * in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = partial[0];
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    sum_of_cubes<<<264, 1024>>>(in, n, out);
}
