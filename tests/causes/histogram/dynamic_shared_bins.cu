// cause: launch_refused line 36 or 37
// task: bins
// The limit on the private copy is compared with the number of bins rather than with its bytes, so between 12289 and 49152 bins the launch asks for too much shared memory.
#include "interface.cuh"

__global__ void shared_histogram(const unsigned int* in, std::size_t n, unsigned int* bins,
                                 unsigned int bin_count) {
    extern __shared__ unsigned int priv[];
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) priv[b] = 0;
    __syncthreads();

    std::size_t stride = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&priv[in[i]], 1u);
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (priv[b]) atomicAdd(&bins[b], priv[b]);
}

__global__ void global_histogram(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t stride = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    const unsigned int shared_limit = 48 * 1024;
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    int blocks = n < 16384 ? (int)((n + 255) / 256) : 64;
    std::size_t bytes = bin_count * sizeof(unsigned int);
    if (bin_count <= shared_limit) {
        shared_histogram<<<blocks, 256, bytes>>>(in, n, bins, bin_count);
    } else {
        global_histogram<<<blocks, 256>>>(in, n, bins);
    }
}
