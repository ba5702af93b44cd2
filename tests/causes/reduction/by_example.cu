// cause: accumulator_too_narrow line 11
// task: sum
// The shared memory of the tree holds floats, so the sums of the threads lose half of their digits; it shows for all but small whole numbers.
#include "interface.cuh"
#include <algorithm>

const int threadsPerBlock = 256;

// like the dot product of the lecture, with one vector
__global__ void sum(const double* a, size_t n, double* c) {
    __shared__ float cache[threadsPerBlock];
    size_t tid = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    double temp = 0;
    while (tid < n) {
        temp += a[tid];
        tid += (size_t)blockDim.x * gridDim.x;
    }

    // set the cache values
    cache[cacheIndex] = temp;

    // synchronize threads in this block
    __syncthreads();

    // for reductions, threadsPerBlock must be a power of 2
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }

    if (cacheIndex == 0)
        c[blockIdx.x] = cache[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    if (!partial) cudaMalloc(&partial, 256 * sizeof(double));

    size_t blocks = std::min<size_t>(256, (n + threadsPerBlock - 1) / threadsPerBlock);
    if (blocks > 0) sum<<<blocks, threadsPerBlock>>>(in, n, partial);
    sum<<<1, threadsPerBlock>>>(partial, blocks, out);
}

void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
