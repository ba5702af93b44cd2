// cause: launch_swapped line 16
// task: map
// The launch gives the number of threads where that of the blocks belongs, which is refused once there are more than 1024 blocks' worth of elements.
#include "interface.cuh"

__global__ void cubic(const float *x, size_t n, float a, float b, float c, float d, float *y)
{
    size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x;
    if (i < n)
        y[i] = a + x[i] * (b + x[i] * (c + x[i] * d));
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    unsigned nt = 256, nb = (n + nt - 1) / nt;
    cubic<<<nt, nb>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float *, std::size_t, const std::uint32_t *, std::size_t, float *) {}
void scatter_add(const std::int32_t *, const std::uint32_t *, std::size_t, std::size_t, std::int64_t *) {}
