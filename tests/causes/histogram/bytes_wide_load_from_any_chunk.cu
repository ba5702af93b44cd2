// cause: misaligned line 54
// task: bytes
// Each block loads 16 bytes at a time from the start of its chunk, but the chunk's length need not be a multiple of 16.
#include "interface.cuh"

#define THREADS 256
#define BINS 256

// splits a 32-bit word into its four bytes
#define COUNT_WORD(h, w)                      \
    do {                                      \
        atomicAdd(&(h)[(w) & 0xffu], 1u);     \
        atomicAdd(&(h)[(w) >> 8 & 0xffu], 1u);  \
        atomicAdd(&(h)[(w) >> 16 & 0xffu], 1u); \
        atomicAdd(&(h)[(w) >> 24], 1u);       \
    } while (0)

__global__ void histo_chunks(const unsigned char* in, size_t n, size_t chunk, unsigned* bins) {
    __shared__ unsigned h[BINS];
    const unsigned t = threadIdx.x;
    h[t] = 0;  // THREADS == BINS
    __syncthreads();

    // my block's part of the input is [begin, end)
    const size_t begin = (size_t)blockIdx.x * chunk;
    const size_t end = begin + chunk < n ? begin + chunk : n;
    if (begin < end) {
        const size_t len = end - begin;
        const uint4* wide = (const uint4*)(in + begin);
        const size_t wides = len / sizeof(uint4);
        for (size_t i = t; i < wides; i += THREADS) {
            const uint4 v = wide[i];
            COUNT_WORD(h, v.x);
            COUNT_WORD(h, v.y);
            COUNT_WORD(h, v.z);
            COUNT_WORD(h, v.w);
        }
        // what does not fill 16 bytes
        for (size_t i = begin + wides * sizeof(uint4) + t; i < end; i += THREADS) {
            atomicAdd(&h[in[i]], 1u);
        }
    }
    __syncthreads();

    if (h[t] > 0) atomicAdd(&bins[t], h[t]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, BINS * sizeof *bins);
    if (n == 0) return;

    size_t blocks = (n + 4095) / 4096;
    if (blocks > 264) blocks = 264;
    const size_t chunk = (n + blocks - 1) / blocks;
    histo_chunks<<<(unsigned)blocks, THREADS>>>(in, n, chunk, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
