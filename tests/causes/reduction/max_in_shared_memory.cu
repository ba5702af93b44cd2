// cause: divergent_barrier line 23
// task: max
// The barrier of the tree stands inside of the condition, so only the threads that compare reach it; it shows in every block.
#include "interface.cuh"
#include <math.h>

__global__ void max_kernel(const float* in, size_t n, float* result) {
    extern __shared__ float s[];
    unsigned int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + t;

    // load two elements and keep the larger one
    float a = i < n ? in[i] : -INFINITY;
    float b = i + blockDim.x < n ? in[i + blockDim.x] : -INFINITY;
    s[t] = a > b ? a : b;
    __syncthreads();

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) {
            if (s[t + stride] > s[t]) {
                s[t] = s[t + stride];
            }
            __syncthreads();
        }
    }

    if (t == 0) {
        result[blockIdx.x] = s[0];
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const int threads = 256;
    const float* from = in;
    float* buffer = NULL;
    size_t blocks = (n + 2 * threads - 1) / (2 * threads);
    cudaMalloc(&buffer, (2 * blocks + 2) * sizeof(float));
    float* to = buffer;

    // launch again until one block is enough
    while (blocks > 1) {
        max_kernel<<<blocks, threads, threads * sizeof(float)>>>(from, n, to);
        from = to;
        to += blocks;
        n = blocks;
        blocks = (n + 2 * threads - 1) / (2 * threads);
    }
    max_kernel<<<1, threads, threads * sizeof(float)>>>(from, n, out);
    cudaFree(buffer);
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
