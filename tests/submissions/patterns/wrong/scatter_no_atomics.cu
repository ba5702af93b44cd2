// expect: scatter=data_race
// report: missing_atomic 9 9
// Colliding read-modify-writes without atomics: updates get lost, other ones in each run.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        std::int64_t* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) total[target[i]] += value[i];
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    if (n > 0) scatter<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, total);
}
