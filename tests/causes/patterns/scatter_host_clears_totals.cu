// cause: device_pointer_on_host line 30 or 31
// task: scatter
// A loop on the host sets the totals to zero through a device pointer; it crashes in every case.
#include "interface.cuh"

void map_cubic(const float * /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float * /*y*/)
{
}

void gather_sum(const float * /*value*/, std::size_t /*m*/, const std::uint32_t * /*neighbour*/,
                std::size_t /*n*/, float * /*out*/)
{
}

// kernel: one thread for one booking
__global__ void book(const int *value, const unsigned int *target, int n, unsigned long long *total)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    long long amount = value[i];                                // keep the sign
    atomicAdd(&total[target[i]], (unsigned long long)amount);   // wraps around, also if negative
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                 std::size_t m, std::int64_t *total)
{
    // all accounts start empty
    for (std::size_t t = 0; t < m; t++)
        total[t] = 0;

    if (n == 0)
        return;

    int threadsPerBlock = 256;
    int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    book<<<blocksPerGrid, threadsPerBlock>>>(value, target, (int)n, (unsigned long long *)total);
}
