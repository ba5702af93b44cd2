// cause: integer_overflow line 15
// task: cubes
// The square is computed in 32 bits before it is widened; it shows for inputs above 46340 or below -46340.
#include "interface.cuh"

__global__ void cubes_kernel(const int *in, size_t n, unsigned long long *out)
{
    __shared__ long long cache[128];
    int tid = threadIdx.x;
    size_t i = tid + (size_t)blockIdx.x * blockDim.x;
    long long temp = 0;

    while (i < n) {
        int x = in[i];
        long long square = x * x;
        temp += square * x;
        i += (size_t)blockDim.x * gridDim.x;
    }
    cache[tid] = temp;
    __syncthreads();

    int k = blockDim.x / 2;
    while (k != 0) {
        if (tid < k)
            cache[tid] += cache[tid + k];
        __syncthreads();
        k /= 2;
    }

    if (tid == 0)
        atomicAdd(out, (unsigned long long)cache[0]);
}

void reduce_cubes(const int *in, std::size_t n, long long *out)
{
    cudaMemset(out, 0, sizeof(long long));
    size_t blocks = (n + 511) / 512;      /* about 4 elements per thread */
    if (blocks > 1024)
        blocks = 1024;
    if (n > 0)
        cubes_kernel<<<blocks, 128>>>(in, n, (unsigned long long *)out);
}

void reduce_sum(const double *, std::size_t, double *) {}
void reduce_max(const float *, std::size_t, float *) {}
void reduce_nested(const int *, std::size_t, long long *) {}
