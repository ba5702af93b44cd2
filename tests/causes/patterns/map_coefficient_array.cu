// cause: host_pointer_in_kernel line 26
// task: map
// The coefficients lie in an array on the host's stack and the kernel gets its address, so every thread reads host memory.
#include "interface.cuh"

#define DEGREE 3

// Horner's rule for any degree
__global__ void polynomial(const float *x, float *y, int n, const float *coeff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = coeff[DEGREE];
        for (int k = DEGREE - 1; k >= 0; k--)
            sum = sum * x[i] + coeff[k];
        y[i] = sum;
    }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    int threads = 128;
    int blocks = (int)((n + threads - 1) / threads);

    float coeff[DEGREE + 1] = {c0, c1, c2, c3};
    polynomial<<<blocks, threads>>>(x, y, (int)n, coeff);
}

void gather_sum(const float * /*value*/, std::size_t /*m*/, const std::uint32_t * /*neighbour*/,
                std::size_t /*n*/, float * /*out*/)
{
    // not done yet
}

void scatter_add(const std::int32_t * /*value*/, const std::uint32_t * /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t * /*total*/)
{
    // not done yet
}
