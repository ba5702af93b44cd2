// expect: bytes=accepted
// at-most: bytes.performance=0 bytes.technique=0
// The CPU counts. What it counts came to it by the kernel's own output, which is no copy, and what it has counted goes
// to the kernel as parameters.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "interface.cuh"

__global__ void tell(const unsigned long long* in, std::size_t words) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < words) printf("%016llx", in[i]);
}

struct Bins {
    unsigned int counts[256];
};
__global__ void put(Bins all, unsigned int* bins) { bins[threadIdx.x] = all.counts[threadIdx.x]; }

__global__ void rest(const unsigned char* in, std::size_t from, std::size_t n, unsigned int* bins) {
    for (std::size_t i = from; i < n; ++i) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    Bins all{};
    char* text = nullptr;
    std::size_t bytes = 0;
    std::FILE* const before = stdout;
    constexpr std::size_t piece = 1 << 16;  // in words of 8 bytes: 1 MiB of text
    for (std::size_t word = 0; word < n / 8; word += piece) {
        const std::size_t words = n / 8 - word < piece ? n / 8 - word : piece;
        stdout = open_memstream(&text, &bytes);
        tell<<<static_cast<unsigned>((words + 255) / 256), 256>>>(reinterpret_cast<const unsigned long long*>(in) + word, words);
        cudaDeviceSynchronize();
        std::fclose(stdout);
        for (std::size_t k = 0; k + 1 < bytes; k += 2) {
            const char hex[3] = {text[k], text[k + 1], 0};
            ++all.counts[std::strtoul(hex, nullptr, 16)];
        }
        std::free(text);
    }
    stdout = before;
    put<<<1, 256>>>(all, bins);
    if (n % 8 != 0) rest<<<1, 1>>>(in, n / 8 * 8, n, bins);
}
