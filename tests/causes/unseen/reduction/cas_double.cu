// cause: converted_not_reinterpreted line 14
// task: sum
// The new value of the compare-and-swap is the sum cut to an integer instead of its bits; shows for every n above 0 whose sum is not zero.
#include "interface.cuh"

// The lab machines have old cards, so there is no atomicAdd for doubles.
__device__ double addDouble(double* address, double val)
{
    unsigned long long* p = (unsigned long long*)address;
    unsigned long long old = *p, assumed;
    do {
        assumed = old;
        double sum = val + __longlong_as_double((long long)assumed);
        old = atomicCAS(p, assumed, (unsigned long long)sum);
    } while (assumed != old);
    return __longlong_as_double((long long)old);
}

__global__ void clearResult(double* out)
{
    *out = 0.0;
}

__global__ void sumKernel(const double* in, size_t n, double* out)
{
    __shared__ double cache[256];
    int t = threadIdx.x;
    double mine = 0.0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += (size_t)gridDim.x * blockDim.x)
        mine += in[i];
    cache[t] = mine;
    __syncthreads();

    for (int s = 128; s > 0; s /= 2) {
        if (t < s)
            cache[t] += cache[t + s];
        __syncthreads();
    }
    if (t == 0)
        addDouble(out, cache[0]);
}

void reduce_sum(const double* in, size_t n, double* out)
{
    size_t blocks = (n + 1023) / 1024;
    if (blocks > 1024)
        blocks = 1024;
    clearResult<<<1, 1>>>(out);
    if (blocks > 0)
        sumKernel<<<(unsigned)blocks, 256>>>(in, n, out);
}
