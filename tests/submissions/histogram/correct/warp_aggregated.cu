// expect: bins=accepted
// Lanes of a warp that hold the same value elect a leader, who adds their number in one atomic:
// no contention within a warp, whatever the data.
#include "interface.cuh"

__global__ void clear(unsigned int* bins, unsigned int size) {
    const unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < size) bins[b] = 0;
}

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned int value = in[i];
    const unsigned int same = __match_any_sync(__activemask(), value);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    if (static_cast<int>(threadIdx.x % 32) == leader) atomicAdd(&bins[value], __popc(same));
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    clear<<<(size + 255) / 256, 256>>>(bins, size);
    if (n > 0) count<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(in, n, bins);
}
