// expect: scatter=accepted
// No atomics: a single warp, whose lanes take turns, so that no two writes can collide.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        std::size_t m, std::int64_t* total) {
    for (std::size_t t = threadIdx.x; t < m; t += 32) total[t] = 0;
    __syncwarp();
    for (std::size_t first = 0; first < n; first += 32) {
        for (unsigned turn = 0; turn < 32; ++turn) {
            if (threadIdx.x == turn && first + turn < n) {
                total[target[first + turn]] += value[first + turn];
            }
            __syncwarp();
        }
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    scatter<<<1, 32>>>(value, target, n, m, total);
}
