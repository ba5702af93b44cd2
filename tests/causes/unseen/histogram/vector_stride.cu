// cause: wrong_stride line 29
// task: bytes
// The loop over 16-byte vectors steps by blocks of 256 threads although blocks have 512, so vectors are counted more than once; shows when there are more vectors than threads of half a grid.
#include "interface.cuh"

#define NUM_BINS   256
#define NUM_BLOCKS 32
#define NUM_THREADS 512

__device__ __forceinline__ void count4(unsigned int *s, unsigned int w)
{
    atomicAdd(&s[w & 0xff], 1u);
    atomicAdd(&s[(w >> 8) & 0xff], 1u);
    atomicAdd(&s[(w >> 16) & 0xff], 1u);
    atomicAdd(&s[w >> 24], 1u);
}

__global__ void hist_kernel(const unsigned char *in, size_t n, unsigned int *bins)
{
    __shared__ unsigned int s[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        s[b] = 0;
    __syncthreads();

    const uint4 *vec = (const uint4 *)in;
    size_t vecs = n / 16;
    size_t me = (size_t)blockIdx.x * NUM_THREADS + threadIdx.x;

    for (size_t i = me; i < vecs; i += (size_t)gridDim.x * NUM_BINS) {
        uint4 v = vec[i];
        count4(s, v.x);
        count4(s, v.y);
        count4(s, v.z);
        count4(s, v.w);
    }
    /* what does not fill a vector */
    if (me < n % 16)
        atomicAdd(&s[in[vecs * 16 + me]], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (s[b] != 0)
            atomicAdd(&bins[b], s[b]);
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, NUM_BINS * sizeof(unsigned int));
    hist_kernel<<<NUM_BLOCKS, NUM_THREADS>>>(in, n, bins);
}
