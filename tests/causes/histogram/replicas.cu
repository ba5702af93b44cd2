// cause: uninitialised_shared line 17
// task: bins
// Only the first of the private copies is cleared, the others count up from garbage.
#include "interface.cuh"

extern __shared__ unsigned int copies[];

__global__ void global_count(const unsigned int* in, size_t n, unsigned int* bins)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
}

// `replicas` histograms side by side: counter v of copy r is copies[v * replicas + r]
__global__ void replicated_count(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count, unsigned int replicas)
{
    for (unsigned int k = threadIdx.x; k < bin_count; k += blockDim.x)
        copies[k] = 0;
    __syncthreads();

    unsigned int r = threadIdx.x % replicas;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&copies[in[i] * replicas + r], 1);
    __syncthreads();

    for (unsigned int v = threadIdx.x; v < bin_count; v += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int c = 0; c < replicas; c++) sum += copies[v * replicas + c];
        if (sum) atomicAdd(&bins[v], sum);
    }
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count)
{
    const unsigned int room = 48 * 1024 / sizeof(unsigned int);
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    if (bin_count > room) {
        global_count<<<512, 256>>>(in, n, bins);
        return;
    }
    unsigned int replicas = room / bin_count;
    if (replicas > 32) replicas = 32;
    replicated_count<<<100, 512, bin_count * replicas * sizeof(unsigned int)>>>(in, n, bins, bin_count, replicas);
}
