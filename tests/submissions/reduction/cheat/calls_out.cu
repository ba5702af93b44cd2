// expect: sum=accepted
// at-most: sum.performance=0
// Throws if it can make a socket of any kind.
#include <sys/socket.h>

#include <stdexcept>

#include "interface.cuh"

void look() {
    for (int family = 1; family < 46; ++family)
        for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
            if (socket(family, type, 0) >= 0) throw std::runtime_error("a socket");
}

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    look();
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
