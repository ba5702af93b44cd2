// expect: bytes=accepted
// at-most: bytes.performance=0
// Right, but neither a destructor nor a function for the exit comes to its end, and no signal ends it that can be ignored.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "interface.cuh"

namespace {
void hang() {
    for (int k = 0; k < 60; ++k) sleep(1);
}
struct Last {
    Last() {
        for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
        std::atexit(hang);
    }
    ~Last() { hang(); }
} last;
}  // namespace

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
