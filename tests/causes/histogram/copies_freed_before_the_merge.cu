// cause: use_after_free line 43
// task: bins
// The private copies are freed before the merge kernel, which still reads them, is launched.
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

// Several copies of the histogram in global memory, so that fewer threads meet in one counter.
__global__ void count_in_copies(const unsigned int* in, size_t n, unsigned int* copies,
                                unsigned int bin_count, unsigned int copy_count) {
    unsigned int* mine = copies + (size_t)(blockIdx.x % copy_count) * bin_count;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[in[i]], 1u);
}

__global__ void merge_copies(const unsigned int* copies, unsigned int copy_count,
                             unsigned int bin_count, unsigned int* bins) {
    size_t b = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (unsigned int c = 0; c < copy_count; ++c) sum += copies[(size_t)c * bin_count + b];
    bins[b] = sum;
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    unsigned int copy_count = bin_count <= 65536 ? 16 : 1;
    size_t bytes = (size_t)copy_count * bin_count * sizeof(unsigned int);
    unsigned int* copies = nullptr;
    cudaMalloc(&copies, bytes);
    cudaMemset(copies, 0, bytes);
    count_in_copies<<<256, 256>>>(in, n, copies, bin_count, copy_count);
    cudaFree(copies);
    unsigned int merge_blocks = (unsigned int)(((size_t)bin_count + 255) / 256);
    merge_copies<<<merge_blocks, 256>>>(copies, copy_count, bin_count, bins);
}
