// cause: misaligned line 46
// task: bytes
// The blocks' chunks begin at any multiple of a rounded-up quotient, and the 16-byte loads from there are misaligned unless it happens to be a multiple of 16.
#include "interface.cuh"

// Each block counts one contiguous chunk, 16 bytes per load.

__device__ inline void tally(unsigned int *h, unsigned int word)
{
    atomicAdd(&h[word & 0xff], 1u);
    atomicAdd(&h[(word >> 8) & 0xff], 1u);
    atomicAdd(&h[(word >> 16) & 0xff], 1u);
    atomicAdd(&h[word >> 24], 1u);
}

__global__ void chunkKernel(const unsigned char *in, size_t n, size_t chunk, unsigned int *bins)
{
    __shared__ unsigned int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    size_t begin = blockIdx.x * chunk;
    size_t end = begin + chunk < n ? begin + chunk : n;
    if (begin < end) {
        size_t vectors = (end - begin) / 16;
        const uint4 *v = reinterpret_cast<const uint4 *>(in + begin);
        for (size_t k = threadIdx.x; k < vectors; k += blockDim.x) {
            uint4 q = v[k];
            tally(h, q.x);
            tally(h, q.y);
            tally(h, q.z);
            tally(h, q.w);
        }
        for (size_t i = begin + vectors * 16 + threadIdx.x; i < end; i += blockDim.x)
            atomicAdd(&h[in[i]], 1u);
    }
    __syncthreads();

    if (h[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned int *bins)
{
    const int blocks = 20;
    const size_t chunk = (n + blocks - 1) / blocks;

    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    chunkKernel<<<blocks, 256>>>(in, n, chunk, bins);
}
