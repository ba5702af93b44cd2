// cause: converted_not_reinterpreted line 16
// task: bytes
// The word is one byte widened to 32 bits, not four bytes of memory: three zeros are counted for each word and three bytes of four are lost, for n of 4 and more.
#include "interface.cuh"

__global__ void kernel_words(const unsigned char* in, size_t n, unsigned int* out) {
    __shared__ unsigned int acc[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        acc[k] = 0;
    __syncthreads();

    const size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t words = n / 4;
    for (size_t w = id; w < words; w += (size_t)gridDim.x * blockDim.x) {
        // load 4 bytes at once
        unsigned int four = in[4 * w];
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            atomicAdd(&acc[four & 255u], 1u);
            four >>= 8;
        }
    }
    // the 0 to 3 bytes behind the last word
    if (id == 0)
        for (size_t i = 4 * words; i < n; ++i)
            atomicAdd(&acc[in[i]], 1u);
    __syncthreads();

    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        atomicAdd(&out[k], acc[k]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    kernel_words<<<160, 192>>>(in, n, bins);
}

__global__ void count_values(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n > 0) count_values<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
}
