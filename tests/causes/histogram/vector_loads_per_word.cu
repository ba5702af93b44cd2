// cause: signed_byte line 8
// task: bytes
// The four bytes of a word are looked at as char, so that values from 128 on count in negative places.
#include "interface.cuh"

// Count the four bytes of one 32-bit word
__device__ void count_word(unsigned int* local, const unsigned int& word) {
    const char* b = reinterpret_cast<const char*>(&word);
    for (int k = 0; k < 4; ++k) atomicAdd(&local[b[k]], 1u);
}

__global__ void clear_bins(unsigned int* bins) { bins[threadIdx.x] = 0; }

__global__ void count_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();

    // 16 bytes at a time
    const uint4* in16 = reinterpret_cast<const uint4*>(in);
    const std::size_t vectors = n / 16;
    const std::size_t first = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t step = gridDim.x * static_cast<std::size_t>(blockDim.x);
    for (std::size_t i = first; i < vectors; i += step) {
        const uint4 v = in16[i];
        count_word(local, v.x);
        count_word(local, v.y);
        count_word(local, v.z);
        count_word(local, v.w);
    }
    // the rest, fewer than 16
    for (std::size_t i = vectors * 16 + first; i < n; i += step) atomicAdd(&local[in[i]], 1u);
    __syncthreads();

    if (local[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    clear_bins<<<1, 256>>>(bins);
    const std::size_t wanted = (n + 16 * 256 - 1) / (16 * 256);
    const unsigned int blocks = wanted == 0 ? 1 : wanted > 264 ? 264 : static_cast<unsigned int>(wanted);
    count_bytes<<<blocks, 256>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
}
