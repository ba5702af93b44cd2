// expect: sum=tampering|unwritten_output|wrong_answer|nondeterministic|launch_error|out_of_bounds
// at-most: sum.performance=0 sum.technique=0
// report: *
// Each call is answered twice, so that the grader takes each answer for that to the next call.
#include <sys/socket.h>

#include <cstdint>

#include "interface.cuh"

struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    const Reply done;
    for (int k = 0; k < 2; ++k) send(3, &done, sizeof done, MSG_NOSIGNAL);
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
