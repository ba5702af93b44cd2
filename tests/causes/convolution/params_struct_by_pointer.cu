// cause: host_pointer_in_kernel line 60
// task: conv1d
// The kernel gets a pointer to a structure on the host's stack and reads its fields through it; shows in every case.
#include "interface.cuh"

struct ConvParams
{
    const float *in;
    const float *mask;
    float *out;
    size_t n;
    int maskWidth;
    int ghost;
};

// Fetches element k, which may be outside of the signal.
__device__ float fetch(const float *in, long long n, long long k, int ghost)
{
    if (k >= 0 && k < n)
        return in[k];
    if (ghost == 0)
        return 0.0f;
    if (ghost == 1)
        return k < 0 ? in[0] : in[n - 1];

    // mirror: period 2n
    k = k % (2 * n);
    if (k < 0)
        k += 2 * n;
    if (k >= n)
        k = 2 * n - 1 - k;
    return in[k];
}

__global__ void convolveKernel(const ConvParams *p)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p->n)
        return;

    int r = p->maskWidth / 2;
    float sum = 0.0f;
    for (int j = 0; j < p->maskWidth; j++)
        sum += p->mask[j] * fetch(p->in, p->n, i - r + j, p->ghost);
    p->out[i] = sum;
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    ConvParams params;
    params.in = in;
    params.mask = mask;
    params.out = out;
    params.n = n;
    params.maskWidth = mask_width;
    params.ghost = ghost;

    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    convolveKernel<<<blocks, threads>>>(&params);
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask, int mask_width,
                       int ghost, unsigned char *out)
{
    // TODO
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out)
{
    // TODO
}
