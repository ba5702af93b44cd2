// cause: state_kept_between_calls line 35
// task: sum
// atomicInc wraps to zero only after it has counted one more than the number of blocks, so the counter is not back at zero when the kernel ends, and in the next call the wrong block, or none, thinks that it is the last.
#include "interface.cuh"

// Threads per block. Must be a power of two.
const unsigned T = 256;

__device__ double g_part[512];
__device__ unsigned g_done = 0;

__global__ void sum_all(const double* x, size_t n, double* result)
{
    __shared__ double s[T];
    __shared__ bool last;

    unsigned tid = threadIdx.x;
    double a = 0.0;
    for (size_t k = (size_t) blockIdx.x * T + tid; k < n; k += (size_t) T * gridDim.x)
        a += x[k];
    s[tid] = a;
    __syncthreads();
    for (unsigned d = T / 2; d > 0; d >>= 1)
    {
        if (tid < d)
            s[tid] += s[tid + d];
        __syncthreads();
    }

    // hand the block's sum over, and look whether all the others have done so already
    if (tid == 0)
    {
        g_part[blockIdx.x] = s[0];
        __threadfence();
        unsigned ticket = atomicInc(&g_done, gridDim.x);
        last = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (!last)
        return;

    __threadfence();
    a = 0.0;
    for (unsigned k = tid; k < gridDim.x; k += T)
        a += g_part[k];
    s[tid] = a;
    __syncthreads();
    for (unsigned d = T / 2; d > 0; d >>= 1)
    {
        if (tid < d)
            s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0)
        *result = s[0];
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    size_t nb = (n + T - 1) / T;
    if (nb < 1)
        nb = 1;
    if (nb > 512)
        nb = 512;
    sum_all<<<(unsigned) nb, T>>>(in, n, out);
}
