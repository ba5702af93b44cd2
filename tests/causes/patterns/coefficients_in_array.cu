// cause: host_pointer_in_kernel line 28
// task: map
// The array of coefficients lies on the stack of the host, and the kernel reads through its address.
// Exercise patterns, part 1: map
#include "interface.cuh"

// Horner's rule: ((c3 * x + c2) * x + c1) * x + c0
__global__ void cubic_kernel(const float* x, float* y, const float* c, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        float t = x[i];
        float result = c[3];
        for (int k = 2; k >= 0; k--) {
            result = result * t + c[k];
        }
        y[i] = result;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    float c[4] = {c0, c1, c2, c3};

    // number of blocks rounded up
    int threadsPerBlock = 256;
    int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    cubic_kernel<<<blocksPerGrid, threadsPerBlock>>>(x, y, c, n);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
