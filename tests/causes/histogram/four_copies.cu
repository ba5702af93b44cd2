// cause: launch_refused line 55 or 57
// task: bins
// Four copies of 4096 counters are 64 KB of shared memory, more than a block gets unless it asks for it, so that the kernel is not launched for 3073 to 4096 bins.
#include "interface.cuh"

// Neighbouring threads use different copies, so that they seldom meet in one counter.
__global__ void count_in_copies(const unsigned int* in, std::size_t n, unsigned int* bins,
                                unsigned int bin_count, unsigned int copies) {
    extern __shared__ unsigned int counters[];
    const unsigned int total = bin_count * copies;

    for (unsigned int c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    unsigned int* copy = counters + (threadIdx.x % copies) * bin_count;
    std::size_t step = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(copy + in[i], 1u);
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int c = 0; c < copies; ++c) {
            sum += counters[c * bin_count + b];
        }
        if (sum != 0) {
            atomicAdd(bins + b, sum);
        }
    }
}

__global__ void count_directly(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t step = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(bins + in[i], 1u);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    const int threads = 256;
    const int blocks = 32;
    cudaMemset(bins, 0, std::size_t(bin_count) * sizeof(unsigned int));
    if (bin_count > 12288) {
        // does not fit in shared memory
        count_directly<<<blocks, threads>>>(in, n, bins);
    } else {
        const unsigned int copies = bin_count <= 4096 ? 4 : 1;
        const std::size_t bytes = copies * bin_count * sizeof(unsigned int);
        count_in_copies<<<blocks, threads, bytes>>>(in, n, bins, bin_count, copies);
    }
}
