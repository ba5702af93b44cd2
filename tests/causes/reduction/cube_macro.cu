// cause: integer_overflow line 8
// task: cubes
// The macro multiplies two ints before the long long comes into play; shows for elements beyond 46340 in size.
#include "interface.cuh"

typedef unsigned long long u64;

#define CUBE(x) ((x) * (x) * (long long)(x))

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

__global__ void cubes(const int *in, size_t n, u64 *out)
{
    __shared__ u64 sh[128];
    int tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * 256 + tid;

    /* first addition during the load */
    u64 s = 0;
    if (i < n) s += CUBE(in[i]);
    if (i + 128 < n) s += CUBE(in[i + 128]);
    sh[tid] = s;
    __syncthreads();

    int k;
    for (k = 64; k != 0; k >>= 1) {
        if (tid < k) sh[tid] += sh[tid + k];
        __syncthreads();
    }

    if (tid == 0) atomicAdd(out, sh[0]);
}

void reduce_cubes(const int *in, std::size_t n, long long *out)
{
    cudaMemset(out, 0, sizeof *out);
    if (n != 0)
        cubes<<<(n + 255) / 256, 128>>>(in, n, (u64 *)out);
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
