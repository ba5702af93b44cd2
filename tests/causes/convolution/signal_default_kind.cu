// cause: wrong_copy_direction line 56
// task: conv1d
// cudaMemcpyToSymbol is left at its default direction, host to device, although the mask is in device memory.
#include "interface.cuh"

#define MAX_CONST 1024
#define THREADS 256
#define OUTPUTS 4

__constant__ float cmask[MAX_CONST];

struct Signal {
    const float *p;
    long n;
    int ghost;
    __device__ float operator[](long k) const
    {
        if (k < 0 || k >= n) {
            if (ghost == 0) return 0.0f;
            if (ghost == 1) k = k < 0 ? 0 : n - 1;
            while (k < 0 || k >= n) k = k < 0 ? -k - 1 : 2 * n - k - 1;
        }
        return p[k];
    }
};

template <bool CONSTANT>
__global__ void conv(Signal s, const float *mask, int m, float *out)
{
    extern __shared__ float tile[];
    const long start = (long)blockIdx.x * THREADS * OUTPUTS;
    for (int i = threadIdx.x; i < THREADS * OUTPUTS + m - 1; i += THREADS)
        tile[i] = s[start - m / 2 + i];
    __syncthreads();

    float acc[OUTPUTS] = {};
    for (int j = 0; j < m; j++) {
        const float w = CONSTANT ? cmask[j] : mask[j];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            acc[o] += w * tile[threadIdx.x + o * THREADS + j];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        long i = start + threadIdx.x + o * THREADS;
        if (i < s.n) out[i] = acc[o];
    }
}

void convolve_1d(const float *in, size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    Signal s = {in, (long)n, ghost};
    const unsigned blocks = (unsigned)((n + THREADS * OUTPUTS - 1) / (THREADS * OUTPUTS));
    const size_t bytes = (THREADS * OUTPUTS + mask_width - 1) * sizeof(float);
    if (mask_width <= MAX_CONST) {
        cudaMemcpyToSymbol(cmask, mask, mask_width * sizeof(float));
        conv<true><<<blocks, THREADS, bytes>>>(s, mask, mask_width, out);
    } else {
        conv<false><<<blocks, THREADS, bytes>>>(s, mask, mask_width, out);
    }
}
