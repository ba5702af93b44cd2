// cause: tail_ignored line 21 or 22
// task: bytes
// Only whole words of four bytes are counted; up to three bytes at the end are left out.
#include "interface.cuh"

// Each thread loads 4 bytes at a time. A block has 256 threads, one per bin.
__global__ void histogram256(const uchar4* in4, size_t words, const unsigned char* in, size_t n,
                             unsigned int* bins)
{
    __shared__ unsigned int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();

    size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (size_t i = id; i < words; i += (size_t)gridDim.x * blockDim.x) {
        uchar4 v = in4[i];
        atomicAdd(&s[v.x], 1u);
        atomicAdd(&s[v.y], 1u);
        atomicAdd(&s[v.z], 1u);
        atomicAdd(&s[v.w], 1u);
    }
    __syncthreads();

    if (s[threadIdx.x] > 0)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    size_t words = n / 4;
    size_t blocks = words / 256 + 1;
    if (blocks > 48) blocks = 48;
    histogram256<<<blocks, 256>>>((const uchar4*)in, words, in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {}
