// cause: counter_too_narrow line 6
// task: bytes
// The partial counts of a block are kept in 16 bits; a block that sees one value more than 65535 times loses the multiples of 65536.
#include "interface.cuh"

using count_t = unsigned short;

constexpr unsigned grid = 12;
constexpr unsigned block = 256;

// one row of 256 counts per block, no atomics on global memory
__device__ count_t table[grid * 256];

__global__ void __launch_bounds__(block) first_pass(const unsigned char* in, std::size_t n)
{
    __shared__ unsigned int cnt[256];
    cnt[threadIdx.x] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * block + threadIdx.x; i < n; i += grid * block)
        atomicAdd(&cnt[in[i]], 1u);
    __syncthreads();
    table[blockIdx.x * 256 + threadIdx.x] = static_cast<count_t>(cnt[threadIdx.x]);
}

__global__ void second_pass(unsigned int* bins)
{
    const unsigned v = threadIdx.x;
    unsigned int sum = 0;
    for (unsigned b = 0; b < grid; ++b)
        sum += table[b * 256 + v];
    bins[v] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    first_pass<<<grid, block>>>(in, n);
    second_pass<<<1, 256>>>(bins);
}
