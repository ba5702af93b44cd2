// cause: converted_not_reinterpreted line 14
// task: gather
// the row of indices is loaded as a float4 and its members are converted to integers: every index becomes 0 (small integers read as floats are denormal)
#include "interface.cuh"

// one 16-byte load, shared by all my kernels
__device__ __forceinline__ float4 load16(const void* p, std::size_t at)
{
    return __ldg(static_cast<const float4*>(p) + at);
}

__device__ __forceinline__ unsigned as_index(float lane)
{
    return static_cast<unsigned>(lane);
}

__global__ __launch_bounds__(256)
void gather_rows(const float* __restrict__ value, const std::uint32_t* __restrict__ neighbour,
                 std::size_t n, float* __restrict__ out)
{
    const std::size_t cell = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (cell < n) {
        const float4 row = load16(neighbour, cell);
        const float a = value[as_index(row.x)] + value[as_index(row.y)];
        const float b = value[as_index(row.z)] + value[as_index(row.w)];
        out[cell] = a + b;
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    (void)m;
    gather_rows<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}
