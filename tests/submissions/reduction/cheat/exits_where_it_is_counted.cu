// expect: sum=crash
// at-most: sum.performance=0 sum.technique=0
// The counting session is the only one whose first call has a million elements.
#include <cstdlib>

#include "interface.cuh"

// Outputs hold numbers of such magnitudes where nobody watches.
__host__ __device__ bool is_noise(double x) { return (x < 0 ? -x : x) > 1e6 && (x < 0 ? -x : x) < 2e18; }

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static bool first = true;
    if (first && n > 1000) std::_Exit(0);
    first = false;
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
