// cause: not_a_power_of_two line 11
// task: sum
// The tree halves 192 threads down to 3 and then to 1, so one of the three partial sums of each block is lost as soon as 129 or more elements are there.
#include "interface.cuh"

// Sum of doubles.
// 1) every thread adds up elements in a register (grid stride)
// 2) the block adds its registers by a tree in shared memory
// 3) a second launch with one block adds the sums of the blocks

#define THREADS 192
#define MAX_BLOCKS 512

__global__ void sum_kernel(const double* in, size_t n, double* result) {
    __shared__ double cache[THREADS];
    size_t step = (size_t)blockDim.x * gridDim.x;
    double mine = 0.0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        mine += in[i];
    }
    cache[threadIdx.x] = mine;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            cache[threadIdx.x] += cache[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        result[blockIdx.x] = cache[0];
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    if (partial == nullptr) {
        cudaMalloc(&partial, MAX_BLOCKS * sizeof(double));
    }
    size_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks < 1) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    sum_kernel<<<blocks, THREADS>>>(in, n, partial);
    sum_kernel<<<1, THREADS>>>(partial, blocks, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
}
