// expect: scatter=wrong_answer
// Converts a negative int to unsigned before it widens: -1 arrives as 4294967295.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        unsigned long long* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total + target[i], static_cast<unsigned>(value[i]));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    if (n > 0) {
        scatter<<<static_cast<unsigned>((n + 255) / 256), 256>>>(
            value, target, n, reinterpret_cast<unsigned long long*>(total));
    }
}
