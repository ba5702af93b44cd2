// expect: sum=time_limit
// at-most: sum=2
// limits: wall=2
// Each case runs under two schedules, and the second call of each size in a process sleeps until it is killed. The case
// between two that end so is right in both.
#include <unistd.h>

#include <set>

#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static std::set<std::size_t> seen;
    if (!seen.insert(n).second) sleep(1000);
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
