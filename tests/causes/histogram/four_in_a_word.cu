// cause: signed_byte line 19 or 23
// task: bytes
// The word is signed, so that its upper byte comes out of the shift as a negative index when it is above 127.
#include "interface.cuh"

// Four bytes at a time. Words first, then up to three single bytes.
__global__ void hist4(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    const int* words = (const int*)in;
    size_t nwords = n / 4;
    size_t me = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;

    for (size_t w = me; w < nwords; w += all) {
        int four = words[w];
        atomicAdd(&h[four & 0xff], 1);
        atomicAdd(&h[four >> 8 & 0xff], 1);
        atomicAdd(&h[four >> 16 & 0xff], 1);
        atomicAdd(&h[four >> 24], 1);
    }
    if (me < n % 4)
        atomicAdd(&h[in[nwords * 4 + me]], 1);

    __syncthreads();
    if (h[threadIdx.x] != 0)
        atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    int blocks = n < 65536 ? 1 : 20;
    hist4<<<blocks, 256>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count)
{
}
