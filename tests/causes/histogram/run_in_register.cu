// cause: elements_ignored line 35
// task: bytes
// A thread's last run of equal bytes is still in its register when the loop ends and is never added.
#include "interface.cuh"

struct Run {
    int value = -1;
    unsigned int length = 0;

    __device__ void flush(unsigned int* h)
    {
        if (length > 0) atomicAdd(&h[value], length);
        length = 0;
    }
    __device__ void push(int v, unsigned int* h)
    {
        if (v != value) {
            flush(h);
            value = v;
        }
        ++length;
    }
};

__global__ void rle_hist(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int h[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) h[b] = 0;
    __syncthreads();

    Run run;
    const size_t total = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += total)
        run.push(in[i], h);
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (h[b]) atomicAdd(&bins[b], h[b]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int), 0);
    rle_hist<<<80, 192>>>(in, n, bins);
}
