// cause: misaligned line 42 or 22
// task: bytes
// A block's section may begin at any byte, and then its 4-byte loads are not aligned; shows when n / BLOCKS, rounded up, is no multiple of 4.
#include "interface.cuh"

enum { BLOCKS = 32, TPB = 256 };

__device__ void tally(unsigned *priv, unsigned char c) { atomicAdd(priv + c, 1u); }

__global__ void sections(const unsigned char *in, size_t n, size_t per_block, unsigned *bins)
{
    __shared__ unsigned priv[256];
    priv[threadIdx.x] = 0;
    __syncthreads();

    size_t from = blockIdx.x * per_block;
    size_t to = from + per_block;
    if (to > n) to = n;

    if (from < to) {
        size_t words = (to - from) / 4;
        const uchar4 *w = (const uchar4 *)(in + from);
        for (size_t k = threadIdx.x; k < words; k += TPB) {
            uchar4 c = w[k];
            tally(priv, c.x);
            tally(priv, c.y);
            tally(priv, c.z);
            tally(priv, c.w);
        }
        /* up to three bytes are left */
        size_t r = from + 4 * words + threadIdx.x;
        if (r < to) tally(priv, in[r]);
    }

    __syncthreads();
    if (priv[threadIdx.x]) atomicAdd(bins + threadIdx.x, priv[threadIdx.x]);
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned *bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    size_t per_block = (n + BLOCKS - 1) / BLOCKS;
    sections<<<BLOCKS, TPB>>>(in, n, per_block, bins);
}
