// cause: uninitialised_shared line 15 or 16
// task: scatter
// Only as many private totals are cleared as the block has threads; with more than 256 totals the others start with garbage.
#include "interface.cuh"

typedef unsigned long long total_t;

const int BLOCK_DIM = 256;
const int MAX_PRIVATE = 4096;

__global__ void scatter_private(const int* value, const unsigned* target, size_t n, unsigned m, total_t* total)
{
    extern __shared__ total_t mine[];

    if (threadIdx.x < m)
        mine[threadIdx.x] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(mine + target[i], (total_t)(long long)value[i]);
    __syncthreads();

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x)
        if (mine[t] != 0)
            atomicAdd(total + t, mine[t]);
}

__global__ void scatter_global(const int* value, const unsigned* target, size_t n, total_t* total)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total + target[i], (total_t)(long long)value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    total_t* t = (total_t*)total;
    cudaMemset(t, 0, m * sizeof(total_t));
    if (n == 0)
        return;
    size_t blocks = (n + BLOCK_DIM - 1) / BLOCK_DIM;
    if (m <= MAX_PRIVATE)
        scatter_private<<<(unsigned)(blocks < 60 ? blocks : 60), BLOCK_DIM, m * sizeof(total_t)>>>(value, target, n, (unsigned)m, t);
    else
        scatter_global<<<(unsigned)blocks, BLOCK_DIM>>>(value, target, n, t);
}
