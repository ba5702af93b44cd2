// cause: device_pointer_on_host line 39
// task: max
// The host reads the partial maxima through a device pointer; shows in every call.
#include "interface.cuh"

#include <cmath>

static const int BLOCKS = 200;
static const int THREADS = 256;

__global__ void partial_max(const float* a, size_t n, float* partial)
{
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    float m = -INFINITY;

    for (size_t k = tid + (size_t)blockIdx.x * blockDim.x; k < n; k += (size_t)blockDim.x * gridDim.x)
        if (a[k] > m) m = a[k];
    s[tid] = m;

    for (unsigned w = blockDim.x >> 1; w; w >>= 1) {
        __syncthreads();
        if (tid < w && s[tid + w] > s[tid]) s[tid] = s[tid + w];
    }
    if (tid == 0) partial[blockIdx.x] = s[0];
}

void reduce_max(const float* in, size_t n, float* out)
{
    static float* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, BLOCKS * sizeof(float));

    partial_max<<<BLOCKS, THREADS, THREADS * sizeof(float)>>>(in, n, partial);
    cudaDeviceSynchronize();

    // 200 numbers are not worth another kernel
    float best = -INFINITY;
    for (int b = 0; b < BLOCKS; b++)
        best = fmaxf(best, partial[b]);

    cudaMemcpy(out, &best, sizeof best, cudaMemcpyHostToDevice);
}
