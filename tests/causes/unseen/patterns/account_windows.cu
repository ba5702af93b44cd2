// cause: missing_barrier line 31 or 17
// task: scatter
// Nothing keeps a fast thread from clearing the totals for the next window while slower ones still merge those of this one.
#include "interface.cuh"

constexpr unsigned kAccounts = 1024;  // accounts per window: 8 KB

__global__ __launch_bounds__(256) void scatter_windows(const std::int32_t* __restrict__ value,
                                                       const std::uint32_t* __restrict__ target,
                                                       std::size_t n, std::size_t m,
                                                       unsigned long long* __restrict__ total) {
    __shared__ unsigned long long sum[kAccounts];
    const std::size_t me = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t all = std::size_t(gridDim.x) * blockDim.x;

    for (std::size_t first = 0; first < m; first += kAccounts) {
        for (unsigned a = threadIdx.x; a < kAccounts; a += blockDim.x) sum[a] = 0;
        __syncthreads();

        for (std::size_t i = me; i < n; i += all) {
            const std::size_t a = target[i] - first;
            if (target[i] >= first && a < kAccounts)
                atomicAdd(&sum[a], (unsigned long long)(long long)value[i]);
        }
        __syncthreads();

        // merged from the far end, so that not all blocks begin at one account
        for (unsigned k = threadIdx.x; k < kAccounts; k += blockDim.x) {
            const unsigned a = (k + 200 * blockIdx.x) % kAccounts;
            if (sum[a] != 0) atomicAdd(&total[first + a], sum[a]);
        }
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    scatter_windows<<<8, 256>>>(value, target, n, m, (unsigned long long*)total);
}
