// cause: launch_swapped line 30
// task: gather
// The launch has the number of threads first and that of blocks second; right up to 262144 cells, beyond that a block would have more than 1024 threads and the launch is refused.
#include "interface.cuh"

#define TPB 256

__device__ float pick(const float *value, uint4 nb)
{
    float s = __ldg(value + nb.x);
    s += __ldg(value + nb.y);
    s += __ldg(value + nb.z);
    s += __ldg(value + nb.w);
    return s;
}

__global__ void gather_kernel(const float *value, const uint4 *neighbour, size_t n, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = pick(value, neighbour[i]);
}

void gather_sum(const float *value, std::size_t m, const std::uint32_t *neighbour, std::size_t n, float *out)
{
    (void)m;
    int threads = TPB;
    int blocks = (int)((n + threads - 1) / threads);

    gather_kernel<<<threads, blocks>>>(value, (const uint4 *)neighbour, n, out);
}
