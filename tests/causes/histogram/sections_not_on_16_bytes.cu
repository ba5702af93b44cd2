// cause: misaligned line 56
// task: bytes
// Each block's section is loaded as uint4, but the sections begin at any byte: the load faults unless the section's size is a multiple of 16.
#include "interface.cuh"

// Every block gets one section of the bytes and loads it 16 bytes at a time.

#define NUM_BINS 256
#define NUM_THREADS 256
#define MAX_BLOCKS 32

static __device__ void tally4(unsigned int* h, unsigned int w) {
    atomicAdd(&h[w & 0xffu], 1u);
    atomicAdd(&h[(w >> 8) & 0xffu], 1u);
    atomicAdd(&h[(w >> 16) & 0xffu], 1u);
    atomicAdd(&h[w >> 24], 1u);
}

static __global__ void hist_sections(const unsigned char* data, size_t n, size_t section,
                                     unsigned int* result) {
    __shared__ unsigned int h[NUM_BINS];
    h[threadIdx.x] = 0;
    __syncthreads();

    const size_t lo = section * blockIdx.x;
    if (lo < n) {
        const size_t len = lo + section <= n ? section : n - lo;
        const unsigned char* mine = data + lo;
        const uint4* wide = reinterpret_cast<const uint4*>(mine);
        const size_t wide_len = len / sizeof(uint4);

        for (size_t i = threadIdx.x; i < wide_len; i += NUM_THREADS) {
            const uint4 q = wide[i];
            tally4(h, q.x);
            tally4(h, q.y);
            tally4(h, q.z);
            tally4(h, q.w);
        }
        // what is left over at the end of the section, byte by byte
        for (size_t i = wide_len * sizeof(uint4) + threadIdx.x; i < len; i += NUM_THREADS)
            atomicAdd(&h[mine[i]], 1u);
    }

    __syncthreads();
    const unsigned int c = h[threadIdx.x];
    if (c > 0) atomicAdd(&result[threadIdx.x], c);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, NUM_BINS * sizeof(unsigned int));
    if (n == 0) return;

    // no more blocks than there is work for: at least 4 KB each
    size_t blocks = (n + 4095) / 4096;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    const size_t section = (n + blocks - 1) / blocks;

    hist_sections<<<(unsigned int)blocks, NUM_THREADS>>>(in, n, section, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {
    // TODO
}
