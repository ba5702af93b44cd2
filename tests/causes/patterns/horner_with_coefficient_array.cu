// cause: host_pointer_in_kernel line 13 or 35
// task: map
// The kernel gets a pointer to the array of coefficients on the host's stack and reads through it; wrong for every n.
#include "interface.cuh"

#define DEGREE 3

struct Coefficients {
    float c[DEGREE + 1];
};

// Horner's rule, from the highest power down
__global__ void polynomial(const float *x, float *y, size_t n, const Coefficients *co)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float r = co->c[DEGREE];
        for (int k = DEGREE - 1; k >= 0; k--)
            r = r * v + co->c[k];
        y[i] = r;
    }
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    Coefficients co;
    co.c[0] = c0;
    co.c[1] = c1;
    co.c[2] = c2;
    co.c[3] = c3;

    int threads = 256;
    int blocks = (int)((n + threads - 1) / threads);
    polynomial<<<blocks, threads>>>(x, y, n, &co);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
