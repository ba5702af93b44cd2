// cause: size_in_elements line 38
// task: bins
// The third launch parameter is the number of counters and not of bytes, so that the private bins have a quarter of the memory that they need.
#include "interface.cuh"

__global__ void clear_bins(unsigned int* bins, unsigned int bin_count) {
    unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bin_count) bins[b] = 0;
}

// few bins: each block has its own in shared memory
__global__ void count_shared(const unsigned int* in, std::size_t n, unsigned int* bins,
                             unsigned int bin_count) {
    extern __shared__ unsigned int mine[];
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n;
         i += (std::size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (mine[b] > 0) atomicAdd(&bins[b], mine[b]);
}

// many bins: threads will hardly ever meet, so global memory is good enough
__global__ void count_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n;
         i += (std::size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    const unsigned int max_shared_bins = 48 * 1024 / sizeof(unsigned int);

    clear_bins<<<(bin_count + 255) / 256, 256>>>(bins, bin_count);
    if (bin_count <= max_shared_bins) {
        count_shared<<<64, 256, bin_count>>>(in, n, bins, bin_count);
    } else {
        count_global<<<256, 256>>>(in, n, bins);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
