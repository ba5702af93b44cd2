// cause: wrong_copy_direction line 69
// task: conv1d
// The mask is already on the device, but the copy into constant memory says host to device: masks of up to 1024 taps.

#include "interface.cuh"

#define MAX_TAPS 1024
#define BLOCK 128
#define PER_THREAD 2

__constant__ float c_taps[MAX_TAPS];

// Two sources of taps with the same face, so that there is only one kernel to write.
struct ConstantTaps {
    __device__ float operator[](int j) const { return c_taps[j]; }
};

struct GlobalTaps {
    const float* taps;
    __device__ float operator[](int j) const { return __ldg(taps + j); }
};

// Which element stands for k? -1: none, it counts as zero.
static __host__ __device__ long ghostIndex(long k, long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    // mirror: one period is  a b c d d c b a
    long p = k % (2 * n);
    if (p < 0) p += 2 * n;
    return p < n ? p : 2 * n - 1 - p;
}

template <class Taps>
__global__ void conv1dKernel(const float* in, long n, Taps taps, int width, int ghost, float* out) {
    extern __shared__ float tile[];
    const int outputs = BLOCK * PER_THREAD;
    const long start = (long)blockIdx.x * outputs;
    const int r = width / 2;

    for (int p = threadIdx.x; p < outputs + width - 1; p += BLOCK) {
        long k = ghostIndex(start - r + p, n, ghost);
        tile[p] = k < 0 ? 0.f : in[k];
    }
    __syncthreads();

    // neighbouring threads take neighbouring outputs; the second one is BLOCK further on
    float acc[PER_THREAD] = {};
    for (int j = 0; j < width; ++j) {
        const float w = taps[j];
#pragma unroll
        for (int q = 0; q < PER_THREAD; ++q) acc[q] += w * tile[threadIdx.x + q * BLOCK + j];
    }
#pragma unroll
    for (int q = 0; q < PER_THREAD; ++q) {
        long i = start + q * BLOCK + threadIdx.x;
        if (i < n) out[i] = acc[q];
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int outputs = BLOCK * PER_THREAD;
    const int grid = (int)((n + outputs - 1) / outputs);
    const size_t bytes = mask_width * sizeof(float);
    const size_t shared = (outputs + mask_width - 1) * sizeof(float);

    if (mask_width <= MAX_TAPS) {
        cudaMemcpyToSymbol(c_taps, mask, bytes, 0, cudaMemcpyHostToDevice);
        conv1dKernel<<<grid, BLOCK, shared>>>(in, (long)n, ConstantTaps{}, mask_width, ghost, out);
    } else {
        conv1dKernel<<<grid, BLOCK, shared>>>(in, (long)n, GlobalTaps{mask}, mask_width, ghost, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
