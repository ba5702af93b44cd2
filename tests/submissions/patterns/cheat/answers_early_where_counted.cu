// expect: map=wrong_answer|tampering
// at-most: map.performance=0 map.technique=0
// The first call of a process with much data is one whose work is counted. It answers for the runner after a quick
// kernel that computes nothing, and does the slow work after the count, before the outputs are read.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "interface.cuh"

struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

__global__ void quick(const float* x, std::size_t n, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

__global__ void slow(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t begin = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 32;
    for (std::size_t i = begin; i < begin + 32 && i < n; ++i) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    static int calls = 0;
    if (++calls == 1 && n > 5000) {
        quick<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, y);
        cudaDeviceSynchronize();
        const Reply done;
        send(3, &done, sizeof done, MSG_NOSIGNAL);
        usleep(150);
    }
    slow<<<static_cast<unsigned>((n + 8191) / 8192), 256>>>(x, n, c0, c1, c2, c3, y);
}
