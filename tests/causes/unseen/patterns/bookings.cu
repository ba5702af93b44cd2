// cause: sign_lost line 8
// task: scatter
// The amount is held as an unsigned number in the struct, so a negative one is widened without its sign and the total is too large by 2^32.
#include "interface.cuh"

struct Booking {
    std::uint32_t account;
    std::uint32_t amount;
};

__device__ Booking load(const std::int32_t* value, const std::uint32_t* target, std::size_t i)
{
    Booking b;
    b.account = target[i];
    b.amount = value[i];
    return b;
}

__device__ void post(std::int64_t* total, const Booking& b)
{
    // there is no atomicAdd for long long, but two's complement does not care
    const long long wide = b.amount;
    atomicAdd(reinterpret_cast<unsigned long long*>(total + b.account), static_cast<unsigned long long>(wide));
}

__global__ void post_all(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::int64_t* total)
{
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        post(total, load(value, target, i));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    post_all<<<240, 256>>>(value, target, n, total);
}
