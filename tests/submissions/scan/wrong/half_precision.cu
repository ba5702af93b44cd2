// expect: inclusive_float=wrong_answer
// Adds in half precision: three digits instead of seven.
#include <cuda_fp16.h>
#include "interface.cuh"

__global__ void scan(const float* in, std::size_t n, float* out) {
    __half sum = __float2half(0);
    for (std::size_t i = 0; i < n; ++i) {
        sum = __hadd(sum, __float2half(in[i]));
        out[i] = __half2float(sum);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan<<<1, 1>>>(in, n, out); }
