// cause: wrong_stride line 38
// task: bins
// Each round counts four strides of elements but steps on by only one, so elements are counted up to four times as soon as n exceeds one grid.
#include "interface.cuh"

#define MAX_LOCAL 12288u

__global__ void
clear_bins(unsigned int *bins, unsigned int m)
{
    unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m)
        bins[j] = 0;
}

__global__ void
count_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int m)
{
    extern __shared__ unsigned int local[];
    const bool priv = m <= MAX_LOCAL;
    unsigned int *dst = priv ? local : bins;

    if (priv) {
        for (unsigned int j = threadIdx.x; j < m; j += blockDim.x)
            local[j] = 0;
    }
    __syncthreads();

    const size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // four independent loads in flight
    while (i < n) {
        for (int u = 0; u < 4; u++) {
            size_t k = i + u * stride;
            if (k < n)
                atomicAdd(&dst[in[k]], 1u);
        }
        i += stride;
    }
    __syncthreads();

    if (priv) {
        for (unsigned int j = threadIdx.x; j < m; j += blockDim.x)
            atomicAdd(&bins[j], local[j]);
    }
}

void
histogram_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int m)
{
    clear_bins<<<(m + 255) / 256, 256>>>(bins, m);
    count_bins<<<32, 256, m <= MAX_LOCAL ? m * sizeof(unsigned int) : 0>>>(in, n, bins, m);
}
