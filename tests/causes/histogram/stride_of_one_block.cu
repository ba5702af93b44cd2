// cause: wrong_stride line 17
// task: bytes
// The loop steps by one block instead of the whole grid: each element behind the first block is counted by several blocks, so counts are too large as soon as n is above 256.
#include "interface.cuh"

static __device__ void add_one(unsigned int* counter) { atomicAdd(counter, 1u); }

__global__ void __launch_bounds__(256) histo(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int sh[256];
    int tid = threadIdx.x;
    sh[tid] = 0u;
    __syncthreads();

    size_t pos = (size_t)blockIdx.x * blockDim.x + tid;
    while (pos < n) {
        add_one(&sh[in[pos]]);
        pos += blockDim.x;
    }

    __syncthreads();
    if (sh[tid]) atomicAdd(&bins[tid], sh[tid]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    if (cudaMemset(bins, 0, 256 * sizeof(unsigned int)) != cudaSuccess) return;
    size_t blocks = (n + 255) / 256;
    if (blocks == 0) blocks = 1;
    if (blocks > 128) blocks = 128;
    histo<<<(unsigned int)blocks, 256>>>(in, n, bins);
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
