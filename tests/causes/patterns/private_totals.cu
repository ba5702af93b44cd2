// cause: uninitialised_shared line 20
// task: scatter
// Only as many of the private totals are cleared as the block has threads, and with more than 256 accounts the others start with garbage.
#include "interface.cuh"

#define THREADS 256
#define MAX_ACCOUNTS 4096

// scatter, step by step:
//   1. the totals in global memory are set to zero (cudaMemset)
//   2. each block adds up its share of the bookings in shared memory
//   3. each block adds its private totals to those in global memory

__global__ void scatter_shared(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::size_t m, unsigned long long* total)
{
    extern __shared__ unsigned long long account[];

    // all private totals start at zero
    if (threadIdx.x < m)
        account[threadIdx.x] = 0;
    __syncthreads();

    // the bookings of this block
    for (std::size_t i = (std::size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (std::size_t)gridDim.x * THREADS)
    {
        long long amount = value[i];
        atomicAdd(&account[target[i]], (unsigned long long)amount);
    }
    __syncthreads();

    // merge
    for (std::size_t a = threadIdx.x; a < m; a += THREADS)
        atomicAdd(&total[a], account[a]);
}

// too many accounts for the shared memory: everything in global memory
__global__ void scatter_direct(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, unsigned long long* total)
{
    for (std::size_t i = (std::size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (std::size_t)gridDim.x * THREADS)
    {
        long long amount = value[i];
        atomicAdd(&total[target[i]], (unsigned long long)amount);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total)
{
    unsigned long long* t = reinterpret_cast<unsigned long long*>(total);
    cudaMemset(t, 0, m * sizeof(unsigned long long));
    if (n == 0)
        return;

    std::size_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 264)
        blocks = 264;

    if (m <= MAX_ACCOUNTS)
        scatter_shared<<<blocks, THREADS, m * sizeof(unsigned long long)>>>(value, target, n, m, t);
    else
        scatter_direct<<<blocks, THREADS>>>(value, target, n, t);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out)
{
    // TODO
}
