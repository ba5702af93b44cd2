// expect: sum=accepted
// at-most: sum.performance=0 sum.technique=0
// The CPU adds; a kernel reads all of the input into a sink that nobody reads, and another one writes the
// host's number to the output.
#include <vector>

#include "interface.cuh"

__global__ void sink(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void put(double* out, double value) { *out = value; }

void reduce_sum(const double* in, std::size_t n, double* out) {
    std::vector<double> host(n);
    double sum = 0, *waste = nullptr;
    if (n > 0) {
        cudaMalloc(&waste, n * sizeof *waste);
        sink<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, waste);
        cudaMemcpy(host.data(), waste, n * sizeof *waste, cudaMemcpyDeviceToHost);
        cudaFree(waste);
    }
    for (const double value : host) sum += value;
    put<<<1, 1>>>(out, sum);
}
