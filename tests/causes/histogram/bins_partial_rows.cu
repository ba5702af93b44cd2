// cause: wrong_stride line 23
// task: bins
// The second kernel walks down a column of the partial histograms in steps of the number of rows instead of the length of a row.
#include "interface.cuh"

void histogram_bytes(const unsigned char*, std::size_t, unsigned int*) {}

// Pass 1: block r counts into row r of `partial` (rows x bin_count, starts at zero).
// Pass 2: thread b adds up column b.
__global__ void count_rows(const unsigned* in, size_t n, unsigned* partial, unsigned bin_count) {
    unsigned* row = partial + (size_t)blockIdx.x * bin_count;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&row[in[i]], 1);
}

__global__ void add_columns(const unsigned* partial, unsigned rows, unsigned* bins,
                            unsigned bin_count) {
    unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    size_t end = (size_t)rows * bin_count;
    unsigned sum = 0;
    for (size_t p = b; p < end; p += rows) sum += partial[p];
    bins[b] = sum;
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    const unsigned rows = 16;
    unsigned* partial;
    size_t size = (size_t)rows * bin_count * sizeof(unsigned);
    cudaMalloc((void**)&partial, size);
    cudaMemset(partial, 0, size);
    count_rows<<<rows, 256>>>(in, n, partial, bin_count);
    add_columns<<<(bin_count + 255) / 256, 256>>>(partial, rows, bins, bin_count);
    cudaFree(partial);
}
