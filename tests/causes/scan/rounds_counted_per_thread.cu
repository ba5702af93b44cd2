// cause: divergent_barrier line 39
// task: exclusive_float
// Each thread counts its own rounds, so that in the last, partial round some threads are not there; but the scan of the
// block that is called in each round has barriers.
#include "interface.cuh"

#define B 256u

/* Kogge and Stone in place: read, wait, write, wait. Returns what is before me. */
__device__ float before_me(float x, float* s, float* everything) {
    unsigned t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (unsigned d = 1; d < B; d <<= 1) {
        float left = 0.f;
        if (t >= d) left = s[t - d];
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    float result = t ? s[t - 1] : 0.f;
    *everything = s[B - 1];
    __syncthreads();
    return result;
}

__global__ void phase1(const float* in, float* out, float* sums, unsigned n) {
    __shared__ float s[B];
    unsigned i = blockIdx.x * B + threadIdx.x;
    float sum;
    float e = before_me(i < n ? in[i] : 0.f, s, &sum);
    if (i < n) out[i] = e;
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void phase2(float* sums, unsigned count) {
    __shared__ float s[B];
    float carry = 0.f;
    const unsigned rounds = (count - threadIdx.x + B - 1) / B;
    for (unsigned r = 0; r < rounds; ++r) {
        unsigned k = r * B + threadIdx.x;
        float sum;
        float e = before_me(k < count ? sums[k] : 0.f, s, &sum);
        if (k < count) sums[k] = carry + e;
        carry += sum;
    }
}

__global__ void phase3(float* out, const float* sums, unsigned n) {
    unsigned i = blockIdx.x * B + threadIdx.x;
    if (i < n) out[i] = sums[blockIdx.x] + out[i];
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    unsigned blocks = (unsigned)((n + B - 1) / B);
    float* sums = 0;
    if (cudaMalloc(&sums, blocks * sizeof(float)) != cudaSuccess) return;
    phase1<<<blocks, B>>>(in, out, sums, (unsigned)n);
    phase2<<<1, B>>>(sums, blocks);
    phase3<<<blocks, B>>>(out, sums, (unsigned)n);
    cudaFree(sums);
}
