// cause: wrong_stride line 22
// task: map
// Within the section of its block a thread steps by the whole grid instead of by the block: with more than one block elements are left out.
#include "interface.cuh"

#define THREADS 256
#define COARSE_FACTOR 4

// Each block handles THREADS * COARSE_FACTOR consecutive elements, each thread COARSE_FACTOR of them.
__global__ void cubicKernel(const float* x, size_t n, float c0, float c1, float c2, float c3,
                            float* y)
{
    size_t i = (size_t)blockIdx.x * blockDim.x * COARSE_FACTOR + threadIdx.x;

    for (int c = 0; c < COARSE_FACTOR; ++c)
    {
        if (i < n)
        {
            float v = x[i];
            y[i] = c0 + v * (c1 + v * (c2 + v * c3));
        }
        i += (size_t)blockDim.x * gridDim.x;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    size_t perBlock = THREADS * COARSE_FACTOR;
    unsigned int numBlocks = (unsigned int)((n + perBlock - 1) / perBlock);
    cubicKernel<<<numBlocks, THREADS>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/)
{
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/)
{
}
