// cause: uninitialised_shared line 21
// task: bins
// Each thread clears one private counter only, so with more bins than threads (256) the rest of the private copy starts with garbage.
#include "interface.cuh"

__global__ void count_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    count_bytes<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
}

__global__ void private_bins(const unsigned int* in, size_t n, unsigned int* bins,
                             unsigned int bin_count) {
    extern __shared__ unsigned int s[];
    // clear
    if (threadIdx.x < bin_count) s[threadIdx.x] = 0;
    __syncthreads();
    // count
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    // merge
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) atomicAdd(&bins[b], s[b]);
}

__global__ void plain_bins(const unsigned int* in, size_t n, unsigned int* bins) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    size_t bytes = (size_t)bin_count * sizeof(unsigned int);
    cudaMemset(bins, 0, bytes);
    if (bytes <= 48 * 1024)
        private_bins<<<40, 256, bytes>>>(in, n, bins, bin_count);
    else
        plain_bins<<<160, 256>>>(in, n, bins);
}
