// cause: elements_ignored line 22
// task: bins
// A thread adds up runs of equal values before it touches memory. When a new run begins its length is set to 0 and not to
// 1, so that the first value of every run but a thread's first is not counted.
#include "interface.cuh"

// Collects equal values that follow each other, to save atomics on sorted and skewed data.
struct RunCounter {
    unsigned int* table;
    unsigned int value;
    unsigned int length;

    __device__ RunCounter(unsigned int* where, unsigned int firstValue) : table(where), value(firstValue), length(0) {}

    __device__ void push(unsigned int v) {
        if (v == value) {
            ++length;
            return;
        }
        flush();
        value = v;
        length = 0;
    }

    __device__ void flush() {
        if (length > 0) atomicAdd(&table[value], length);
    }
};

__global__ void zeroBins(unsigned int* bins, unsigned int bin_count) {
    unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bin_count) bins[b] = 0;
}

__global__ void runKernel(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t stride = (std::size_t)blockDim.x * gridDim.x;
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    RunCounter run(bins, in[i]);
    while (i < n) {
        run.push(in[i]);
        i += stride;
    }
    run.flush();
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
    zeroBins<<<(bin_count + 127) / 128, 128>>>(bins, bin_count);
    if (n > 0) {
        std::size_t blocks = (n + 127) / 128;
        runKernel<<<blocks < 200 ? (int)blocks : 200, 128>>>(in, n, bins);
    }
}
