// cause: host_pointer_in_kernel line 31
// task: map
// The coefficients lie in an array on the host's stack and the kernel gets its address; shows in every case.
#include "interface.cuh"

// Horner's rule for a polynomial of any degree
template <int DEGREE>
__device__ inline float horner(const float* c, float x)
{
    float r = c[DEGREE];
#pragma unroll
    for (int k = DEGREE - 1; k >= 0; --k)
        r = r * x + c[k];
    return r;
}

template <int DEGREE>
__global__ void polynomial(const float* x, float* y, std::size_t n, const float* coeff)
{
    std::size_t stride = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x; i < n; i += stride)
        y[i] = horner<DEGREE>(coeff, x[i]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    const float coeff[4] = {c0, c1, c2, c3};
    std::size_t blocks = (n - 1) / 256 + 1;
    if (blocks > 2048)
        blocks = 2048;
    polynomial<3><<<unsigned(blocks), 256>>>(x, y, n, coeff);
}
