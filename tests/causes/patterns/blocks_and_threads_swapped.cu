// cause: launch_swapped line 25
// task: map
// The numbers of blocks and of threads are in the wrong order in the launch: a large array asks for more than 1024 threads per block.
#include "interface.cuh"

__constant__ float coeff[4];

// y = c0 + c1 x + c2 x^2 + c3 x^3
__global__ void mapKernel(const float *x, size_t n, float *y)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float v2 = v * v;
        y[i] = coeff[0] + coeff[1] * v + coeff[2] * v2 + coeff[3] * v2 * v;
    }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    float host[4] = { c0, c1, c2, c3 };
    cudaMemcpyToSymbol(coeff, host, sizeof(host));
    int numThreads = 256;
    int numBlocks = (int)((n + numThreads - 1) / numThreads);
    mapKernel<<<numThreads, numBlocks>>>(x, n, y);
}
