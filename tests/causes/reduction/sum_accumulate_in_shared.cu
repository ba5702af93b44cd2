// cause: divergent_barrier line 16
// task: sum
// There is a barrier in the grid-stride loop, which the threads of a block leave after different numbers of rounds.
#include "interface.cuh"

static const int NT = 128;

__global__ void kernel_sum(const double *x, size_t n, double *result)
{
    __shared__ double cache[NT];
    int c = threadIdx.x;
    cache[c] = 0.0;

    for (size_t i = c + (size_t)blockIdx.x * blockDim.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
        cache[c] += x[i];
        __syncthreads();
    }

    int i = blockDim.x / 2;
    while (i != 0) {
        if (c < i)
            cache[c] += cache[c + i];
        __syncthreads();
        i /= 2;
    }

    if (c == 0)
        result[blockIdx.x] = cache[0];
}

void reduce_sum(const double *in, size_t n, double *out)
{
    static double *dev_partial = 0;
    if (dev_partial == 0)
        cudaMalloc((void **)&dev_partial, 1024 * sizeof(double));

    int blocks = 1024;
    if (n < (size_t)NT * 1024)
        blocks = (int)((n + NT - 1) / NT);
    if (blocks == 0)
        blocks = 1;
    kernel_sum<<<blocks, NT>>>(in, n, dev_partial);
    kernel_sum<<<1, NT>>>(dev_partial, blocks, out);
}
