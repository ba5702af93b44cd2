// cause: size_in_elements line 29
// task: cubes
// cudaMemset clears one byte of the eight of the output, and the rest of the garbage stays in the sum.
#include "interface.cuh"

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

__global__ void cubes(const int *in, size_t n, unsigned long long *out) {
    __shared__ unsigned long long s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    size_t first = (size_t)blockIdx.x * 1024;
    unsigned long long v = 0;
    for (int k = 0; k < 4; k++) {
        size_t i = first + k * 256 + threadIdx.x;
        if (i < n) {
            long long x = in[i];
            v += x * x * x;
        }
    }
    atomicAdd(&s, v);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, s);
}

void reduce_cubes(const int *in, size_t n, long long *out) {
    cudaMemset(out, 0, 1);
    if (n > 0) cubes<<<(n + 1023) / 1024, 256>>>(in, n, (unsigned long long *)out);
}
