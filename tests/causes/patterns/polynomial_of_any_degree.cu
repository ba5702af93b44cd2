// cause: host_pointer_in_kernel line 35
// task: map
// The coefficients are an array on the host's stack, and the kernel gets the address of that array.
#include "interface.cuh"

// A polynomial of any degree, in case the next sensor needs more than a cubic.
// coef[0] is the constant term.
template <int DEGREE>
__global__ void polynomial(const float* x, std::size_t n, const float* coef, float* y)
{
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    std::size_t step = (std::size_t)gridDim.x * blockDim.x;

    while (i < n)
    {
        float t = x[i];
        float result = coef[DEGREE];
#pragma unroll
        for (int d = DEGREE - 1; d >= 0; d--)
            result = result * t + coef[d];
        y[i] = result;
        i += step;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    float coef[4] = {c0, c1, c2, c3};

    // at most 2048 blocks, each thread takes several elements if n is large
    unsigned blocks = 2048;
    if (n < 2048 * 256)
        blocks = (unsigned)((n + 255) / 256);

    polynomial<3><<<blocks, 256>>>(x, n, coef, y);
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    // TODO
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    // TODO
}
