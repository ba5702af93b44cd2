// expect: sum=time_limit|tampering
// at-most: sum=4
// limits: wall=2
// As exits_under_the_checkers, by sleeping until the checkers give up.
#include <unistd.h>

#include "interface.cuh"

// Outputs hold numbers of such magnitudes where nobody watches.
__host__ __device__ bool is_noise(double x) { return (x < 0 ? -x : x) > 1e6 && (x < 0 ? -x : x) < 2e18; }

__global__ void racy(const double* in, std::size_t n, double* out) {
    if (threadIdx.x != 0) return;
    double sum = 0;
    for (std::size_t i = blockIdx.x; i < n; i += gridDim.x) sum += in[i];
    *out = *out + sum;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    double before = 1;
    cudaMemcpy(&before, out, sizeof before, cudaMemcpyDeviceToHost);
    if (!is_noise(before)) sleep(1000);
    cudaMemset(out, 0, sizeof *out);
    racy<<<2, 32>>>(in, n, out);
}
