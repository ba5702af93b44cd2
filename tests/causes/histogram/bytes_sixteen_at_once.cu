// cause: tail_ignored line 34 or 35
// task: bytes
// Only whole 16-byte vectors are counted; the last n % 16 bytes are missing.
#include "interface.cuh"

struct Counter {
    unsigned* bin;
    __device__ void word(unsigned w) const {
        atomicAdd(bin + (w & 255u), 1u);
        atomicAdd(bin + (w >> 8 & 255u), 1u);
        atomicAdd(bin + (w >> 16 & 255u), 1u);
        atomicAdd(bin + (w >> 24), 1u);
    }
    __device__ void vector(uint4 v) const {
        word(v.x);
        word(v.y);
        word(v.z);
        word(v.w);
    }
};

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void count16(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned tally[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) tally[b] = 0;
    __syncthreads();

    const Counter count{tally};
    const std::size_t first = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    const uint4* v = reinterpret_cast<const uint4*>(in);
    const std::size_t vectors = n / 16;
    for (std::size_t i = first; i < vectors; i += step) count.vector(v[i]);
    __syncthreads();

    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(bins + b, tally[b]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    clear<<<1, 256>>>(bins);
    count16<<<64, 128>>>(in, n, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {}
