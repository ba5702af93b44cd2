// cause: counter_too_narrow line 15
// task: bins
// The length of a run is kept in a byte, so a run of more than 255 equal values in one section is counted modulo 256.
#include "interface.cuh"

// Each thread has a contiguous section. As long as the value stays the same it counts in a
// register and needs no atomic.
__global__ void count_runs(const unsigned int* in, std::size_t n, std::size_t section,
                           unsigned int* bins) {
    std::size_t begin = (blockIdx.x * blockDim.x + threadIdx.x) * section;
    if (begin >= n) return;
    std::size_t end = begin + section < n ? begin + section : n;

    unsigned int value = in[begin];
    unsigned char run = 1;
    for (std::size_t i = begin + 1; i < end; ++i) {
        if (in[i] == value) {
            ++run;
        } else {
            atomicAdd(&bins[value], run);
            value = in[i];
            run = 1;
        }
    }
    atomicAdd(&bins[value], run);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    const int blocks = 16;
    const int threads = 64;
    std::size_t section = (n + blocks * threads - 1) / (blocks * threads);
    count_runs<<<blocks, threads>>>(in, n, section, bins);
}
