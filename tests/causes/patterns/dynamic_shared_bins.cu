// cause: uninitialised_shared line 16
// task: scatter
// Only the first 256 bins are set to zero, one per thread; shows as soon as there are more than 256 totals.
#include "interface.cuh"

#define NT 256
#define MAX_BINS 4096

// Scatter with bins in shared memory (one set per block)
__global__ void scatter_shared(const int* value, const unsigned* target, size_t n, unsigned m,
                               unsigned long long* total)
{
    extern __shared__ unsigned long long bins[];
    unsigned tid = threadIdx.x;

    if (tid < m)
        bins[tid] = 0;
    __syncthreads();

    for (size_t i = (size_t)blockIdx.x * NT + tid; i < n; i += (size_t)gridDim.x * NT)
        atomicAdd(&bins[target[i]], (unsigned long long)(long long)value[i]);
    __syncthreads();

    for (unsigned b = tid; b < m; b += NT)
        if (bins[b] != 0)
            atomicAdd(&total[b], bins[b]);
}

// too many totals for shared memory: directly
__global__ void scatter_direct(const int* value, const unsigned* target, size_t n,
                               unsigned long long* total)
{
    for (size_t i = (size_t)blockIdx.x * NT + threadIdx.x; i < n; i += (size_t)gridDim.x * NT)
        atomicAdd(&total[target[i]], (unsigned long long)(long long)value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total)
{
    unsigned long long* t = (unsigned long long*)total;
    cudaMemset(t, 0, m * sizeof(unsigned long long));
    if (n > 0) {
        size_t nb = (n + NT - 1) / NT;
        if (nb > 256)
            nb = 256;
        if (m <= MAX_BINS)
            scatter_shared<<<nb, NT, m * sizeof(unsigned long long)>>>(value, target, n, m, t);
        else
            scatter_direct<<<nb, NT>>>(value, target, n, t);
    }
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}
