// cause: converted_not_reinterpreted line 22
// task: max
// The bits that the compare-and-swap has found are passed to fmaxf as a whole number and not as the float that they stand for; shows for nearly all data.
#include "interface.cuh"
#include <math.h>

#define NEG_INF_BITS 0xff800000u

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}

__global__ void set_start(unsigned int* out) { *out = NEG_INF_BITS; }

// There is no atomicMax for floats, so this is made of atomicCAS, as in the programming guide
// for atomicAdd of doubles.
__device__ void atomicMaxFloat(float* address, float val)
{
    unsigned int* word = (unsigned int*)address;
    unsigned int old = NEG_INF_BITS, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed,
                        __float_as_uint(fmaxf(val, assumed)));
    } while (old != assumed);
}

__global__ void max_kernel(const float* in, size_t n, float* out)
{
    extern __shared__ float m[];
    size_t i = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;

    float x = -INFINITY;
    for (int k = 0; k < 4; k++, i += blockDim.x)
        if (i < n) x = fmaxf(x, in[i]);
    m[threadIdx.x] = x;

    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s) m[threadIdx.x] = fmaxf(m[threadIdx.x], m[threadIdx.x + s]);
    }
    if (threadIdx.x == 0) atomicMaxFloat(out, m[0]);
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    set_start<<<1, 1>>>((unsigned int*)out);
    if (n == 0) return;
    int threads = 256;
    int blocks = (int)((n + 4 * threads - 1) / (4 * threads));
    max_kernel<<<blocks, threads, threads * sizeof(float)>>>(in, n, out);
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
