// expect: map=unwritten_output gather=unwritten_output scatter=unwritten_output
// The kernel is there, the launch is not.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}
void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}
void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
