// expect: bytes=launch_error|crash
// at-most: bytes=0
// A request to the emulator that announces 4 GiB, and the beginning of them.
#include <sys/socket.h>

#include <cstdint>
#include <vector>

#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::uint32_t request[12] = {0x43454D34, 2, 0xFFFFFFFF};
    send(4, request, sizeof request, MSG_NOSIGNAL);
    const std::vector<char> flood(1 << 20, 'x');
    for (int k = 0; k < 64; ++k)
        if (send(4, flood.data(), flood.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
