// cause: missing_barrier line 11
// task: bytes
// No barrier between clearing the private bins and counting: counts of a fast warp are wiped out, or garbage is counted on, whenever warps of a block do not run in step.
#include "interface.cuh"

#define THREADS 256

// Phase 1 clear, phase 2 count, phase 3 merge
__global__ void hist_kernel(const unsigned char* data, size_t n, unsigned int* bins) {
    __shared__ unsigned int local[THREADS];
    local[threadIdx.x] = 0;

    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&local[data[i]], 1u);
    }
    __syncthreads();

    // as many threads as bins
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    hist_kernel<<<240, THREADS>>>(in, n, bins);
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
