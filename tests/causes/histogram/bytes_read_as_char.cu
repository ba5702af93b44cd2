// cause: signed_byte line 22
// task: bytes
// The bytes are read through a pointer to char, which is signed: a byte above 127 becomes a negative index and is counted in front of the shared array.
#include <cooperative_groups.h>
#include "interface.cuh"

namespace cg = cooperative_groups;

struct Chunk {
    const char* data;
    size_t size;
};

__global__ void letters(Chunk text, unsigned int* bins) {
    cg::thread_block block = cg::this_thread_block();
    __shared__ unsigned int s[256];
    for (int i = block.thread_rank(); i < 256; i += block.size()) s[i] = 0;
    block.sync();

    size_t i = (size_t)blockIdx.x * block.size() + block.thread_rank();
    for (; i < text.size; i += (size_t)gridDim.x * block.size()) {
        int letter = text.data[i];
        atomicAdd(&s[letter], 1u);
    }
    block.sync();

    for (int k = block.thread_rank(); k < 256; k += block.size())
        if (s[k] > 0) atomicAdd(&bins[k], s[k]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    Chunk text;
    text.data = (const char*)in;
    text.size = n;
    letters<<<96, 128>>>(text, bins);
}

__global__ void fill_zero(unsigned* p, unsigned m) {
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        p[k] = 0;
}

__global__ void scatter_count(const unsigned* v, std::size_t n, unsigned* p) {
    const std::size_t hop = std::size_t(blockDim.x) * gridDim.x;
    std::size_t k = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x;
    while (k < n) {
        atomicAdd(p + v[k], 1u);
        k += hop;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    fill_zero<<<32, 256>>>(bins, bin_count);
    scatter_count<<<200, 192>>>(in, n, bins);
}
