// cause: state_kept_between_calls line 40
// task: bins
// The copies in the static buffer are cleared only when the buffer is allocated, so later calls add to the counts of earlier ones.
#include "interface.cuh"

// Several copies of the histogram in global memory, so that fewer threads meet in
// one counter. A second kernel adds the copies up.
static const int COPIES = 16;
static unsigned int* copies = nullptr;
static size_t capacity = 0;

__global__ void countKernel(const unsigned int* in, size_t n, unsigned int* copies,
                            unsigned int bin_count)
{
    unsigned int* mine = copies + (size_t)(threadIdx.x % COPIES) * bin_count;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
}

__global__ void sumKernel(const unsigned int* copies, unsigned int* bins, unsigned int bin_count)
{
    unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (int c = 0; c < COPIES; c++)
        sum += copies[(size_t)c * bin_count + b];
    bins[b] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    size_t needed = (size_t)COPIES * bin_count;
    if (needed > capacity) {
        cudaFree(copies);
        cudaMalloc(&copies, needed * sizeof(unsigned int));
        cudaMemset(copies, 0, needed * sizeof(unsigned int));
        capacity = needed;
    }

    countKernel<<<128, 256>>>(in, n, copies, bin_count);
    sumKernel<<<(bin_count + 255) / 256, 256>>>(copies, bins, bin_count);
}
