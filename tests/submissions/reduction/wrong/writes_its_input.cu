// expect: sum=wrong_answer
// Reduces in place, in the input, which is const: the sum is right and the input is gone.
#include "interface.cuh"

__global__ void fold(double* data, std::size_t n, std::size_t half) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i + half < n) data[i] += data[i + half];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    double* data = const_cast<double*>(in);
    if (n == 0) cudaMemset(out, 0, sizeof *out);
    for (std::size_t left = n; left > 1; left = (left + 1) / 2) {
        const std::size_t half = (left + 1) / 2;
        fold<<<static_cast<unsigned>((half + 255) / 256), 256>>>(data, left, half);
    }
    if (n > 0) cudaMemcpy(out, data, sizeof *out, cudaMemcpyDeviceToDevice);
}
