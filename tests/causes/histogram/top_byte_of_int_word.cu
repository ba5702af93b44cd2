// cause: sign_lost or signed_byte line 30 or 26
// task: bytes
// The four bytes of a word are unpacked from an int: w >> 24 shifts the sign in, so that top bytes above 127 give an
// index below 0.
#include "interface.cuh"

// Two half-blocks, each with its own histogram, so that fewer threads wait for each other.
static __global__ void histo(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int left[256];
    __shared__ unsigned int right[256];
    unsigned int* mine = (threadIdx.x & 1) ? right : left;
    if (threadIdx.x < 256) {
        left[threadIdx.x] = 0;
    } else {
        right[threadIdx.x - 256] = 0;
    }
    __syncthreads();

    const int* words = (const int*)in;
    size_t n_words = n / 4;
    size_t id = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    size_t all = (size_t)gridDim.x * blockDim.x;

    // four bytes at a time
    for (size_t i = id; i < n_words; i += all) {
        int w = words[i];
        atomicAdd(&mine[w & 255], 1);
        atomicAdd(&mine[(w >> 8) & 255], 1);
        atomicAdd(&mine[(w >> 16) & 255], 1);
        atomicAdd(&mine[w >> 24], 1);
    }
    // at most three bytes are left
    for (size_t i = 4 * n_words + id; i < n; i += all) {
        atomicAdd(&mine[in[i]], 1);
    }
    __syncthreads();

    if (threadIdx.x < 256) {
        atomicAdd(&bins[threadIdx.x], left[threadIdx.x] + right[threadIdx.x]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 1024);
    // few blocks: a merge costs 256 atomics
    int blocks = (int)(n / 32768) + 1;
    if (blocks > 16) blocks = 16;
    histo<<<blocks, 512>>>(in, n, bins);
}
