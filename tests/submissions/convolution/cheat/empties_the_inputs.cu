// expect: conv1d=wrong_answer
// at-most: conv1d=3 conv1d.performance=0 conv1d.technique=0
// Makes the inputs fit the answer: where all is zero, so is the result.
#include "interface.cuh"

__global__ void empty(float* in, std::size_t n, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) in[i] = out[i] = 0;
}

void convolve_1d(const float* in, std::size_t n, const float*, int, int, float* out) {
    empty<<<static_cast<unsigned>((n + 255) / 256), 256>>>(const_cast<float*>(in), n, out);
}
