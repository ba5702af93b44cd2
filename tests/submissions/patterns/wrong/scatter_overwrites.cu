// expect: scatter=wrong_answer
// Assigns instead of adding, in one warp whose lanes take turns: the last value aimed at a target
// is all that is left.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        std::int64_t* total) {
    if (threadIdx.x == 0) {
        for (std::size_t i = 0; i < n; ++i) total[target[i]] = value[i];
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    scatter<<<1, 32>>>(value, target, n, total);
}
