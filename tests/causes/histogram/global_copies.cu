// cause: state_kept_between_calls line 31 or 38
// task: bins
// The copies in global memory are cleared when they are allocated, and not in each call; shows from the second call on.
#include "interface.cuh"
#include <cstddef>

constexpr unsigned kCopies = 8;

// Copy c of counter v lies at copies[c * bin_count + v]; block k uses copy k % kCopies.
__global__ void count(const unsigned* in, std::size_t n, unsigned* copies, unsigned bin_count) {
    unsigned* mine = copies + std::size_t(blockIdx.x % kCopies) * bin_count;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        atomicAdd(mine + in[i], 1u);
}

__global__ void gather(const unsigned* copies, unsigned* bins, unsigned bin_count) {
    for (unsigned v = blockIdx.x * blockDim.x + threadIdx.x; v < bin_count; v += gridDim.x * blockDim.x) {
        unsigned sum = 0;
        for (unsigned c = 0; c < kCopies; ++c) sum += copies[std::size_t(c) * bin_count + v];
        bins[v] = sum;
    }
}

static unsigned* workspace(std::size_t bytes) {
    static unsigned* memory = nullptr;
    static std::size_t capacity = 0;
    if (bytes > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, bytes);
        cudaMemset(memory, 0, bytes);
        capacity = bytes;
    }
    return memory;
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
    unsigned* copies = workspace(std::size_t(kCopies) * bin_count * sizeof(unsigned));
    count<<<64, 256>>>(in, n, copies, bin_count);
    gather<<<16, 256>>>(copies, bins, bin_count);
}
