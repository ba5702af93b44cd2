// cause: uninitialised_output line 38 or 39
// task: scatter
// With n = 0 the function returns before the totals are set to 0.
#include "interface.cuh"

template <typename F>
__global__ void for_each(std::size_t n, F f)
{
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x)
        f(i);
}

struct SetZero {
    std::int64_t* total;
    __device__ void operator()(std::size_t i) const { total[i] = 0; }
};

struct AddTo {
    const std::int32_t* value;
    const std::uint32_t* target;
    std::int64_t* total;
    __device__ void operator()(std::size_t i) const
    {
        const std::int64_t wide = value[i];
        atomicAdd(reinterpret_cast<unsigned long long*>(total + target[i]), static_cast<unsigned long long>(wide));
    }
};

template <typename F>
void launch(std::size_t count, F f)
{
    std::size_t blocks = (count + 255) / 256;
    for_each<<<unsigned(blocks > 1024 ? 1024 : blocks), 256>>>(count, f);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, std::int64_t* total)
{
    if (n == 0) return;
    launch(m, SetZero{total});
    launch(n, AddTo{value, target, total});
}
