// cause: host_pointer_in_kernel line 20
// task: map
// The coefficients are collected in an array of the host function, and the kernel gets the address of it, which is of the host's stack.
#include "interface.cuh"

// y = ((c[3] * x + c[2]) * x + c[1]) * x + c[0], Horner, like numpy.polyval
__device__ float polyval(const float* c, int degree, float x) {
    float y = c[degree];
    for (int k = degree - 1; k >= 0; k--) y = y * x + c[k];
    return y;
}

__global__ void vectorized(const float* x, size_t n, const float* c, int degree, float* y) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = polyval(c, degree, x[i]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float c[] = {c0, c1, c2, c3};
    vectorized<<<(n + 255) / 256, 256>>>(x, n, c, 3, y);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
