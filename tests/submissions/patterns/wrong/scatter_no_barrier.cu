// expect: scatter=data_race
// report: missing_syncwarp 10 14, missing_syncwarp 14 17, shared_race 10 14, shared_race 14 17
// Private totals without a barrier between clearing, adding and committing: warps run ahead of
// those that still clear.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        unsigned m, unsigned long long* total) {
    extern __shared__ unsigned long long own[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) own[t] = 0;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        atomicAdd(own + target[i],
                  static_cast<unsigned long long>(static_cast<long long>(value[i])));
    }
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) atomicAdd(total + t, own[t]);
}

__global__ void scatter_direct(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, unsigned long long* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total + target[i],
                  static_cast<unsigned long long>(static_cast<long long>(value[i])));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    auto* sums = reinterpret_cast<unsigned long long*>(total);
    cudaMemset(total, 0, m * sizeof *total);
    if (n == 0) return;
    if (m <= 4096) {
        scatter<<<8, 256, m * sizeof *sums>>>(value, target, n, static_cast<unsigned>(m), sums);
    } else {
        scatter_direct<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, sums);
    }
}
