// cause: wrong_stride line 18
// task: bins
// The loop takes four elements in each turn, one stride apart, but moves on by only one stride, so elements are counted up to four times.
#include "interface.cuh"

__device__ inline void count(const unsigned int* in, size_t i, size_t n, unsigned int* bins)
{
    if (i < n)
        atomicAdd(bins + in[i], 1);
}

/* Loop unrolled by 4 so that there are more loads in flight. */
__global__ void histogram_kernel(const unsigned int* in, size_t n, unsigned int* bins)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t tid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = tid; i < n; i += stride) {
        count(in, i, n, bins);
        count(in, i + stride, n, bins);
        count(in, i + 2 * stride, n, bins);
        count(in, i + 3 * stride, n, bins);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, (size_t)bin_count * 4);
    histogram_kernel<<<32, 512>>>(in, n, bins);
}
