// cause: integer_overflow line 20
// task: scatter
// Two neighbouring amounts for one account are added as 32-bit integers, and that sum can overflow before it is widened.
#include "interface.cuh"

using u64 = unsigned long long;

__device__ void credit(u64* total, unsigned account, long long amount) {
    atomicAdd(&total[account], static_cast<u64>(amount));
}

// Bookings often come in pairs for the same account: one atomic then does for both.
__global__ void pairs(const int2* __restrict__ value, const uint2* __restrict__ target,
                      std::size_t half, u64* total) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < half; i += step) {
        const int2 v = value[i];
        const uint2 t = target[i];
        if (t.x == t.y) {
            credit(total, t.x, v.x + v.y);
        } else {
            credit(total, t.x, v.x);
            credit(total, t.y, v.y);
        }
    }
}

__global__ void single(const int* value, const unsigned* target, u64* total) {
    credit(total, *target, *value);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    u64* sums = reinterpret_cast<u64*>(total);
    cudaMemset(sums, 0, m * sizeof(u64));
    if (n >= 2)
        pairs<<<72, 128>>>(reinterpret_cast<const int2*>(value),
                           reinterpret_cast<const uint2*>(target), n / 2, sums);
    if (n % 2 == 1) single<<<1, 1>>>(value + n - 1, target + n - 1, sums);
}
