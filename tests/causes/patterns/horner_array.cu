// cause: host_pointer_in_kernel line 33 or 30
// task: map
// The kernel is given a pointer to an array on the host's stack, which it must not read.
#include "interface.cuh"
#include <array>

namespace {

template <int Degree>
__device__ float horner(const float* c, float x)
{
    float r = c[Degree];
#pragma unroll
    for (int k = Degree - 1; k >= 0; --k) r = fmaf(r, x, c[k]);
    return r;
}

template <int Degree>
__global__ void polynomial(const float* __restrict__ x, float* __restrict__ y, std::size_t n, const float* c)
{
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = horner<Degree>(c, x[i]);
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    const std::array<float, 4> c{{c0, c1, c2, c3}};
    const std::size_t wanted = (n + 255) / 256;
    const unsigned grid = wanted < 2048 ? unsigned(wanted) : 2048u;
    polynomial<3><<<grid, 256>>>(x, y, n, c.data());
}
