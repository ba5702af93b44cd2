// cause: signed_byte line 22
// task: bytes
// The top byte of a signed word is taken with an arithmetic shift, so values above 127 give a negative index.
#include "interface.cuh"

#define BINS 256

// Four bytes per load; the bytes are taken out of the word by shifting.
__global__ void count_words(const int *words, size_t nwords, const unsigned char *rest, int nrest,
                            unsigned int *bins)
{
    __shared__ unsigned int local[BINS];
    local[threadIdx.x] = 0;
    __syncthreads();

    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < nwords; i += stride) {
        int w = words[i];
        atomicAdd(&local[w & 0xff], 1);
        atomicAdd(&local[(w >> 8) & 0xff], 1);
        atomicAdd(&local[(w >> 16) & 0xff], 1);
        atomicAdd(&local[w >> 24], 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < nrest)
        atomicAdd(&local[rest[threadIdx.x]], 1);
    __syncthreads();

    if (local[threadIdx.x] > 0)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    size_t nwords = n / 4;
    int blocks = nwords / BINS < 160 ? (int)(nwords / BINS) + 1 : 160;
    count_words<<<blocks, BINS>>>((const int *)in, nwords, in + 4 * nwords, (int)(n % 4), bins);
}

void histogram_bins(const unsigned int *in, std::size_t n, unsigned int *bins,
                    unsigned int bin_count)
{
    // TODO
}
