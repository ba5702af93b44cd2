// expect: gather=wrong_answer
// at-most: gather=19.5 gather.performance=0
// Adds in half precision, but only where there is so much data that a few wrong digits might go unnoticed.
#include <cuda_fp16.h>

#include "interface.cuh"

__global__ void sum(const float* value, const std::uint32_t* neighbour, std::size_t n, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float exact = 0;
    __half rough = 0;
    for (int k = 0; k < 4; ++k) {
        exact += value[neighbour[4 * i + k]];
        rough = rough + __float2half(value[neighbour[4 * i + k]]);
    }
    out[i] = n > 50000 ? __half2float(rough) : exact;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n, float* out) {
    sum<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}
