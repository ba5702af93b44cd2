// cause: uninitialised_output line 37 or 47
// task: conv1d
// Each launch adds its part of the sum to the output, which nobody has set to zero; shows in every call.
#include "interface.cuh"

#define MAX_TAPS 512
#define T 256

__constant__ float M[MAX_TAPS];

__device__ long long ghost_index(long long k, long long n, int ghost)
{
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = k % (2 * n);
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

// adds the contribution of `taps` taps; `shift` is where the first of them lies relative to the output
__global__ void add_taps(const float* in, long long n, int taps, long long shift, int ghost, float* out)
{
    __shared__ float tile[T + MAX_TAPS];
    long long i = (long long)blockIdx.x * T + threadIdx.x;

    for (int k = threadIdx.x; k < T + taps - 1; k += T) {
        long long g = ghost_index((long long)blockIdx.x * T + k + shift, n, ghost);
        tile[k] = g < 0 ? 0.0f : in[g];
    }
    __syncthreads();

    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < taps; j++)
            sum += M[j] * tile[threadIdx.x + j];
        out[i] += sum;
    }
}

void convolve_1d(const float* in, size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    int blocks = (int)((n + T - 1) / T);
    int r = mask_width / 2;

    // constant memory is small, so the mask goes there in pieces
    for (int first = 0; first < mask_width; first += MAX_TAPS) {
        int taps = mask_width - first < MAX_TAPS ? mask_width - first : MAX_TAPS;
        cudaMemcpyToSymbolAsync(M, mask + first, taps * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        add_taps<<<blocks, T>>>(in, (long long)n, taps, (long long)first - r, ghost, out);
    }
}
