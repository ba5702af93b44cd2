// cause: misaligned line 60
// task: bytes
// A block's section starts at any byte, but is read in vectors of 16 bytes, which fails unless the size of a section happens to be a multiple of 16.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr unsigned block_size = 256;

struct Section {
    const unsigned char* begin;
    std::size_t size;
};

__device__ void count_word(unsigned int* local, unsigned int word) {
    for (int k = 0; k < 4; ++k) {
        atomicAdd(&local[word & 255u], 1u);
        word >>= 8;
    }
}

__device__ void count_section(unsigned int* local, Section section) {
    const auto* vectors = reinterpret_cast<const uint4*>(section.begin);
    const std::size_t count = section.size / sizeof(uint4);
    for (std::size_t v = threadIdx.x; v < count; v += block_size) {
        const uint4 sixteen = vectors[v];
        count_word(local, sixteen.x);
        count_word(local, sixteen.y);
        count_word(local, sixteen.z);
        count_word(local, sixteen.w);
    }
    for (std::size_t i = count * sizeof(uint4) + threadIdx.x; i < section.size; i += block_size) {
        atomicAdd(&local[section.begin[i]], 1u);
    }
}

__global__ void sections_kernel(const unsigned char* in, std::size_t n, std::size_t section_size,
                                unsigned int* bins) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();

    const std::size_t start = blockIdx.x * section_size;
    if (start < n) {
        const std::size_t rest = n - start;
        count_section(local, Section{in + start, rest < section_size ? rest : section_size});
    }
    __syncthreads();

    if (const unsigned int mine = local[threadIdx.x]) atomicAdd(bins + threadIdx.x, mine);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    const std::size_t blocks = std::clamp<std::size_t>(n / 16384, 1, 264);
    const std::size_t section_size = (n + blocks - 1) / blocks;
    sections_kernel<<<static_cast<unsigned>(blocks), block_size>>>(in, n, section_size, bins);
}

void histogram_bins(const unsigned int*, std::size_t, unsigned int*, unsigned int) {}
