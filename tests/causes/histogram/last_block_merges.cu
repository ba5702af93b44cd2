// cause: state_kept_between_calls line 37 or 28
// task: bytes
// The ticket counter is not set back to 0, so that from the second call on no block is the last one and bins are not written.
#include "interface.cuh"

constexpr unsigned Blocks = 48;

__device__ unsigned int d_part[Blocks][256];
__device__ unsigned int d_ticket = 0;

__global__ void hist_one_kernel(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int h[256];
    __shared__ bool is_last;

    h[threadIdx.x] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += Blocks * 256ull)
        atomicAdd(&h[in[i]], 1u);
    __syncthreads();

    // publish this block's histogram
    d_part[blockIdx.x][threadIdx.x] = h[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&d_ticket, 1u) == Blocks - 1;
    __syncthreads();

    // whoever comes last adds them all up
    if (is_last) {
        __threadfence();
        unsigned int s = 0;
        for (unsigned b = 0; b < Blocks; ++b)
            s += *(volatile unsigned int*)&d_part[b][threadIdx.x];
        bins[threadIdx.x] = s;
    }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    hist_one_kernel<<<Blocks, 256>>>(in, n, bins);
}
