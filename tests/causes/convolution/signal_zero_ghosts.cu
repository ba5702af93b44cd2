// cause: uninitialised_shared line 34 or 35
// task: conv1d
// With zero ghost cells the cells of the tile beyond the ends of the signal are skipped and keep whatever was in shared memory.
#include "interface.cuh"

static __global__ void convolve_kernel(const float *__restrict__ in, long long n,
                                       const float *__restrict__ mask, int mask_width,
                                       int ghost, float *__restrict__ out)
{
    extern __shared__ float smem[];
    float *weights = smem;              /* mask_width floats */
    float *window = smem + mask_width;  /* blockDim.x + mask_width - 1 floats */

    const long long first = (long long)blockIdx.x * blockDim.x - mask_width / 2;
    const int cells = blockDim.x + mask_width - 1;

    for (int j = threadIdx.x; j < mask_width; j += blockDim.x)
        weights[j] = mask[j];

    for (int c = threadIdx.x; c < cells; c += blockDim.x) {
        long long k = first + c;
        if (ghost == 1) {
            if (k < 0)
                k = 0;
            if (k > n - 1)
                k = n - 1;
        } else if (ghost == 2) {
            k %= 2 * n;
            if (k < 0)
                k += 2 * n;
            if (k >= n)
                k = 2 * n - 1 - k;
        }
        if (k >= 0 && k < n)
            window[c] = in[k];
    }
    __syncthreads();

    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++)
            sum += weights[j] * window[threadIdx.x + j];
        out[i] = sum;
    }
}

void convolve_1d(const float *in, size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    const int threads = 1024;
    const int blocks = (int)((n + threads - 1) / threads);
    const size_t bytes = sizeof(float) * (threads + 2 * mask_width - 1);
    convolve_kernel<<<blocks, threads, bytes>>>(in, (long long)n, mask, mask_width, ghost, out);
}
