// cause: signed_byte or sign_lost line 14 or 9
// task: bytes
// The four bytes come in a signed int, and the shift to the right that gets the top one keeps the
// sign: from 128 on it is an index below zero.
#include "interface.cuh"

#define NBINS 256

__device__ void count_four(unsigned int *h, int packed)
{
    atomicAdd(h + (packed & 0xff), 1u);
    atomicAdd(h + ((packed >> 8) & 0xff), 1u);
    atomicAdd(h + ((packed >> 16) & 0xff), 1u);
    atomicAdd(h + (packed >> 24), 1u);
}

__global__ void hist(const unsigned char *in, size_t n, unsigned int *bins)
{
    __shared__ unsigned int h[NBINS];
    h[threadIdx.x] = 0;
    __syncthreads();

    /* sixteen bytes at once */
    const int4 *v = (const int4 *)in;
    size_t nv = n / 16;
    size_t me = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = me; i < nv; i += all) {
        int4 q = v[i];
        count_four(h, q.x);
        count_four(h, q.y);
        count_four(h, q.z);
        count_four(h, q.w);
    }
    /* at most fifteen are left */
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        atomicAdd(h + in[nv * 16 + threadIdx.x], 1u);
    __syncthreads();

    if (h[threadIdx.x] != 0)
        atomicAdd(bins + threadIdx.x, h[threadIdx.x]);
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, NBINS * sizeof(unsigned int));
    if (n > 0)
        hist<<<60, NBINS>>>(in, n, bins);
}
